import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'

const launcher = resolve(import.meta.dirname, '../../../../../bin/sluice')

export type SeparateGate = {
  readonly folder: string
  url(): string
  start(): Promise<void>
  /** Kills the process with SIGKILL. */
  kill(): Promise<void>
  cli(...words: readonly string[]): string
  /** The entries of its audit. */
  audit(): readonly Readonly<Record<string, unknown>>[]
  /** The output of all its processes. */
  printed(): string
  close(): Promise<void>
}

/** A separate gate: `sluice up` in its own folder, as an operator starts it. */
export function separateGate(name: string, configuration: string, env: NodeJS.ProcessEnv): SeparateGate {
  const folder = mkdtempSync(join(tmpdir(), `sluice-gate-${name}-`))
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'sluice.yaml'), configuration)
  const environment = { ...process.env, ...env }
  let child: ChildProcess | undefined
  let url = ''
  let printed = ''
  const end = async (signal: NodeJS.Signals) => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }
  const cli = (...words: readonly string[]) =>
    execFileSync(process.execPath, [launcher, ...words], { cwd: folder, encoding: 'utf8', env: environment })
  return {
    folder,
    url: () => url,
    cli,
    printed: () => printed,
    async start() {
      child = spawn(process.execPath, [launcher, 'up', '--trust'], {
        cwd: folder,
        env: environment,
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text: Buffer) => (printed += String(text)))
      if (child.stdout === null) throw new Error('the process has no stdout')
      const [greeting] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
      url = /http:\S+?(?=,)/.exec(greeting)?.[0] ?? ''
    },
    kill: () => end('SIGKILL'),
    audit: () =>
      cli('audit', 'export')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { kind: string; entry?: Record<string, unknown> })
        .flatMap(({ kind, entry }) => (kind === 'entry' && entry !== undefined ? [entry] : [])),
    async close() {
      await end('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export const exampleFile = (name: string): string =>
  readFileSync(resolve(import.meta.dirname, '../../../../../examples/newsroom', name), 'utf8')
export const exampleFolder = resolve(import.meta.dirname, '../../../../../examples/newsroom')
