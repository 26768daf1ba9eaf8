import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { hookLine } from '../../server/src/guests/hooks/hook-files.ts'
import { columns, complaint, quantile, valuesOf, type Bench } from '../bench.ts'

const BIN = resolve(import.meta.dirname, '../../server/bin')
const ROUNDS = 40
const WARM_UP = 3

type System = 'node -e 0' | 'sluice hook' | 'the installed line' | 'the installed line, no gate'
type Row = { readonly system: System; readonly ms_p50: number; readonly ms_p95: number; readonly ratio: number }
type Report = { readonly bench: 'hook'; readonly rounds: number; readonly rows: readonly Row[] }
type Command = { readonly system: System; readonly words: readonly string[]; readonly expects: RegExp }

/** How long an agent waits for its hook, next to a bare start of Node in the same round. The gate runs and allows the call. */
export const bench: Bench<Report> = {
  async run(options) {
    const rounds = Number(valuesOf(options, '--rounds')[0] ?? ROUNDS)
    const folder = mkdtempSync(join(tmpdir(), 'sluice-hook-bench-'))
    writeFileSync(
      join(folder, 'sluice.yaml'),
      JSON.stringify({ listen: { port: 0 }, servers: { codex: { client: 'codex' } } }),
    )
    const stop = await runGate(folder)
    try {
      return { bench: 'hook', rounds, rows: await measure(commandsIn(folder), rounds) }
    } finally {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    }
  },
  table({ rows }) {
    return columns([
      ['command', 'ms p50', 'ms p95', 'of node -e 0'],
      ...rows.map(({ system, ms_p50, ms_p95, ratio }) => [
        system,
        ms_p50.toFixed(1),
        ms_p95.toFixed(1),
        `${ratio.toFixed(2)} ×`,
      ]),
    ])
  },
}

/** `sluice up` in this folder; returns a function that stops it. */
async function runGate(folder: string): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, [join(BIN, 'sluice'), 'up', '--trust'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  await new Promise((greeted, fail) => {
    createInterface({ input: child.stdout }).once('line', greeted)
    child.once('exit', (code) => fail(complaint(`the gate ended with ${code}`)))
  })
  return () =>
    new Promise((done) => {
      child.once('exit', () => done())
      child.kill('SIGTERM')
    })
}

function commandsIn(folder: string): readonly Command[] {
  const socket = join(folder, '.sluice/gate.sock')
  const line = (to: string) =>
    hookLine({
      node: process.execPath,
      hook: join(BIN, 'sluice-hook.cjs'),
      socket: to,
      client: 'codex',
      name: 'PreToolUse',
      mode: 'refuse',
      limit_s: 60,
      wait_s: 0,
    })
  const allowed = /^\{\}\n$/
  return [
    { system: 'node -e 0', words: [process.execPath, '-e', '0'], expects: /^$/ },
    {
      system: 'sluice hook',
      words: [process.execPath, join(BIN, 'sluice'), 'hook', 'codex', '--socket', socket],
      expects: allowed,
    },
    { system: 'the installed line', words: ['sh', '-c', line(socket)], expects: allowed },
    {
      system: 'the installed line, no gate',
      words: ['sh', '-c', line(join(folder, 'none.sock'))],
      expects: /the gate is not running/,
    },
  ]
}

/** One after the other in each round, so that a busy machine slows all of them down. The ratio is the median of the rounds' ratios. */
async function measure(commands: readonly Command[], rounds: number): Promise<readonly Row[]> {
  const times = commands.map((): number[] => [])
  for (let round = -WARM_UP; round < rounds; round += 1)
    for (const [index, command] of commands.entries()) {
      const ms = await timed(command, round)
      if (round >= 0) times[index]?.push(ms)
    }
  const [bare = []] = times
  return commands.map(({ system }, index) => {
    const own = times[index] ?? []
    const ratios = own.map((ms, round) => ms / (bare[round] ?? Number.NaN)).sort((a, b) => a - b)
    const sorted = own.toSorted((a, b) => a - b)
    return { system, ms_p50: quantile(sorted, 0.5), ms_p95: quantile(sorted, 0.95), ratio: quantile(ratios, 0.5) }
  })
}

/** From the start of the process until its output is complete and it has ended. */
function timed({ words, system, expects }: Command, round: number): Promise<number> {
  const event = {
    hook_event_name: 'PreToolUse',
    session_id: 'bench',
    cwd: '/home/ana/project',
    tool_name: 'Bash',
    // A different command each time: an equal one in a row would be judged as a repetition.
    tool_input: { command: `ls -la folder-${round + WARM_UP}` },
  }
  return new Promise((done, fail) => {
    const [program = '', ...rest] = words
    const from = performance.now()
    const child = spawn(program, rest, { stdio: ['pipe', 'pipe', 'inherit'] })
    let out = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
    child.on('error', fail)
    child.stdin.on('error', () => undefined)
    child.on('close', (code) => {
      const ms = performance.now() - from
      if (code === 0 && expects.test(out)) return done(ms)
      fail(complaint(`${system} answered \`${out.trim()}\` with exit code ${code}`))
    })
    child.stdin.end(JSON.stringify(event))
  })
}
