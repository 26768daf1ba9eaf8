import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { clientFor } from '../../src/adapters/cli/client.ts'
import { textOf } from '../../src/adapters/cli/print.ts'
import { placesIn } from '../../src/main/data-folder.ts'
import { loadConfig } from '../../src/main/load-config.ts'
import { trust } from '../../src/main/trust/check-trust.ts'
import { LAUNCHER } from '../built/built.ts'
import { BOOK_TOOLS } from './with-gate.ts'
import { answerIn } from './answer-in.ts'
import { hostCommand, type Ran } from './host-command.ts'
import { IS_WHOLE } from '../some-of.ts'
import type { Sentence } from '../../src/kernel/contract/sentence.ts'

export type RunningGate = {
  readonly folder: string
  /** The `bin/sluice` it was started with. */
  readonly launcher: string
  readonly url: string
  readonly process: ChildProcess
  /** Runs the command line in the gate's folder. */
  readonly cli: (...words: readonly string[]) => Promise<Ran>
  readonly http: (
    method: string,
    path: string,
    key: string | undefined,
    body?: unknown,
  ) => Promise<{ status: number; body: Record<string, unknown> }>
  /** Reads a request as its approver does, and approves what it shows. */
  readonly approve: (id: unknown, key: string, more?: object) => ReturnType<RunningGate['http']>
  readonly key: (kind: string, name: string, user?: string) => Promise<string>
}

/** What the launcher would add for a gate: with them it does not replace its process, which takes a tenth of a start. */
const GATE_OPTIONS = ['--max-semi-space-size=8', '--initial-old-space-size=64', '--no-maglev-destroy-on-background']

const CONFIG = {
  listen: { port: 0 },
  mcp: { surface: 'passthrough' },
  policy: {
    rules: [
      { id: 'no-wiping', effect: 'block', match: { tool: 'book__wipe' }, says: 'nobody wipes the book' },
      {
        id: 'no-shouting',
        effect: 'block',
        match: { tool: 'book__note' },
        when: 'args.text == "SHOUT"',
        says: 'nobody shouts in the book',
      },
      { id: 'failing-runs', effect: 'allow', match: { tool: 'book__fails' }, says: 'harmless' },
      { id: 'kept', effect: 'allow', match: { tool: 'book__keep_note' }, says: 'checked and read back' },
    ],
  },
}

/** Commands that run until they are stopped, or that read what they are sent. */
const needsOwnProcess = (words: readonly string[]): boolean =>
  words.some((word) => ['up', 'demo', 'mcp', 'hook'].includes(word)) || ['agent', 'node'].includes(words[0] ?? '')

/**
 * Runs a command of the command line. `npm run test:whole` starts a process for each; `npm test` uses one process for many, except for
 * a command with input or of another launcher.
 */
export async function run(
  folder: string,
  words: readonly string[],
  input?: string,
  { launcher = LAUNCHER, env = {} }: { readonly launcher?: string; readonly env?: Record<string, string> } = {},
): Promise<Ran> {
  const isOwn = IS_WHOLE || input !== undefined || launcher !== LAUNCHER || needsOwnProcess(words)
  if (isOwn) return runProcess(folder, words, input, { launcher, env })
  return hostCommand({ folder, words, env: { ...process.env, ...env } })
}

/** The same, always as a process of its own. */
export function runProcess(
  folder: string,
  words: readonly string[],
  input?: string,
  { launcher = LAUNCHER, env = {} }: { readonly launcher?: string; readonly env?: Record<string, string> } = {},
): Promise<Ran> {
  return new Promise((done) => {
    const child = spawn(process.execPath, [launcher, ...words], {
      cwd: folder,
      env: { ...process.env, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    const ran = { out: '', err: '' }
    child.stdout.setEncoding('utf8').on('data', (text: string) => (ran.out += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (ran.err += text))
    child.on('close', (code) => done({ code, ...ran }))
    // A child that ends before it has read its input is reported by its exit code.
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
  })
}

/** Writes a configuration with the book behind it. */
export function configure(folder: string): void {
  const book = {
    command: 'node',
    args: [resolve(import.meta.dirname, '../tool-servers/effects.ts')],
    env: { EFFECTS: join(folder, 'effects.txt') },
    tools: BOOK_TOOLS,
  }
  writeFileSync(join(folder, 'sluice.yaml'), JSON.stringify({ ...CONFIG, servers: { book } }))
}

/** As a person does who answers yes to `sluice up`. */
export function trustConfig(folder: string): void {
  const settings = loadConfig(join(folder, 'sluice.yaml'), true)
  if (!settings.ok || !trust(settings.value).ok) throw new Error(`${folder} cannot be trusted`)
}

/** `sluice up` as a separate process, for one test file. */
export async function startGate(
  prepare: (folder: string) => void | Promise<void> = configure,
  words: readonly string[] = ['up', '--trust'],
  launcher = LAUNCHER,
): Promise<RunningGate & { stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-doors-'))
  await prepare(folder)
  return runGate(folder, words, launcher)
}

/** The same in an existing folder, perhaps after a gate that was killed. */
export async function runGate(
  folder: string,
  words: readonly string[] = ['up', '--trust'],
  launcher = LAUNCHER,
  env: Readonly<Record<string, string>> = {},
): Promise<RunningGate & { stop(): Promise<void> }> {
  const child = spawn(process.execPath, [...GATE_OPTIONS, launcher, ...words], {
    cwd: folder,
    env: { MALLOC_ARENA_MAX: '2', ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let complaints = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints = (complaints + text).slice(-4_000)
    process.stderr.write(text)
  })
  const [greeting] = (await Promise.race([
    new Promise((done) => createInterface({ input: child.stdout }).once('line', (line) => done([line]))),
    new Promise((_, fail) =>
      child.once('close', (code) => fail(new Error(`the gate ended with ${code}: ${complaints}`))),
    ),
  ])) as [string]
  const url = /http:\S+?(?=,)/.exec(greeting)?.[0] ?? ''
  const data = /, data in (.+)$/.exec(greeting)?.[1] ?? ''
  /** What the command line sends for the owner of the folder. */
  const owner = clientFor({ socket: placesIn(data).socket })
  const cli: RunningGate['cli'] = (...words) => run(folder, words, undefined, { launcher })
  const http: RunningGate['http'] = async (method, path, key, body) => {
    const headers = {
      'content-type': 'application/json',
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    }
    const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
    const answer = await fetch(`${url}${path}`, { method, headers, ...(text === undefined ? {} : { body: text }) })
    return { status: answer.status, body: answerIn(await answer.text()) }
  }
  return {
    folder,
    launcher,
    url,
    process: child,
    cli,
    http,
    async approve(id, key, more = {}) {
      const path = `/v1/approvals/${String(id)}`
      const packet = (await http('GET', path, key)).body
      const {
        digest,
        foldable = [],
        sentence,
      } = packet as {
        digest?: string
        foldable?: readonly { id: string }[]
        sentence?: Sentence
      }
      const unfolded = foldable.map((text) => text.id)
      const typed = sentence?.confirm?.words.join(', ')
      return http('POST', `${path}/decide`, key, { decision: 'approve', digest, unfolded, typed, ...more })
    },
    async key(kind, name, user) {
      const body = { kind, name, ...(user === undefined ? {} : { user }) }
      const reply = await owner('POST', '/v1/keys', body)
      return textOf((reply.body as Record<string, unknown> | undefined)?.['key'])
    },
    async stop() {
      child.kill('SIGTERM')
      if (child.exitCode === null && child.signalCode === null) await new Promise((done) => child.once('exit', done))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
