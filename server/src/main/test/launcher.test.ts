import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, test } from 'vitest'
import type { Sentence } from '../../kernel/contract/sentence.ts'
import { LAUNCHER, SOURCE_LAUNCHER } from '../../../test/built/built.ts'
import { configure, run, runGate } from '../../../test/helpers/with-running-gate.ts'
import { effectsIn, until } from '../../../test/helpers/with-gate.ts'
import { rpc } from '../../../test/helpers/send-raw.ts'
import { IS_WHOLE, someOf } from '../../../test/some-of.ts'

/** Every process that starts reports its id and its arguments. */
const TELL = `--import=data:text/javascript,console.error(JSON.stringify([process.pid,process.execArgv,process.env.MALLOC_ARENA_MAX]))`

type Started = readonly [pid: number, options: readonly string[], arenas: string | null]

function starts(words: readonly string[], own = { args: [] as string[], options: '' }): readonly Started[] {
  const { MALLOC_ARENA_MAX: _, ...env } = process.env
  const ran = spawnSync(process.execPath, [...own.args, LAUNCHER, ...words], {
    encoding: 'utf8',
    env: { ...env, NODE_OPTIONS: `${TELL} ${own.options}` },
  })
  expect(ran.status).toBe(0)
  const lines = ran.stderr.trim().split('\n')
  return lines.map((line) => JSON.parse(line) as Started)
}

const FREED_AT_ONCE = '--no-maglev-destroy-on-background'
/** The launcher's options, without the first. */
const REST = ['--initial-old-space-size=64', FREED_AT_ONCE]

test.skipIf(process.platform === 'win32')('a gate stays small, and is the process that was started', () => {
  const [first, second, ...more] = starts(['up', '--help'])
  expect(second).toEqual([first?.[0], ['--max-semi-space-size=8', ...REST], '2'])
  expect(more).toEqual([])
})

test.skipIf(process.platform === 'win32')('the V8 options of an operator stay in force', () => {
  const [, byArgument] = starts(['up', '--help'], { args: ['--max_semi_space_size=32'], options: '' })
  expect(byArgument?.slice(1)).toEqual([['--max_semi_space_size=32', ...REST], '2'])
  const [, byEnvironment] = starts(['up', '--help'], { args: [], options: '--max-semi-space-size=32' })
  expect(byEnvironment?.slice(1)).toEqual([[...REST], '2'])
  const [, quoted] = starts(['up', '--help'], { args: [], options: '"--max-semi-space-size=32"' })
  expect(quoted?.slice(1)).toEqual([[...REST], '2'])
  // A limit of ours below it would undo it.
  const [, least] = starts(['up', '--help'], { args: ['--min-semi-space-size=16'], options: '' })
  expect(least?.slice(1)).toEqual([['--min-semi-space-size=16', ...REST], '2'])
  const [, later] = starts(['up', '--help'], { args: ['--maglev_destroy_on_background'], options: '' })
  expect(later?.[1]).not.toContain(FREED_AT_ONCE)
})

test('the sources start without a build', () => {
  const ran = spawnSync(process.execPath, [SOURCE_LAUNCHER, '--help'], { encoding: 'utf8' })
  expect(ran.stdout).toContain('Usage: sluice')
  expect(LAUNCHER).not.toBe(SOURCE_LAUNCHER)
})

test('a short command is started once, without options', () => {
  const all = starts(['--help'])
  expect(all).toEqual([[all[0]?.[0], [], null]])
})

/** The first process behaves like an old Node, which cannot replace itself and has to start a child. */
const OLD_NODE =
  '--import=data:text/javascript,delete%20process.env.NODE_OPTIONS;delete%20process.execve;' +
  "Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.19.0'}})"

/** Runs a command under a launcher that stays, and returns the launcher's process. */
async function behindLauncher(
  words: readonly string[],
  use: (started: {
    readonly folder: string
    readonly socket: string
    readonly launcher: ReturnType<typeof spawn>
    readonly say: (line: object) => void
    readonly nextLine: () => Promise<string>
    /** Resolves when every process that holds the launcher's output has ended. */
    readonly allEnded: Promise<unknown>
  }) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-launcher-'))
  configure(folder)
  const env = { ...process.env, NODE_OPTIONS: OLD_NODE }
  // Input comes from a separate process, as from an MCP client, and stays open after the launcher has ended.
  const client = spawn('cat', { stdio: ['pipe', 'pipe', 'ignore'] })
  const launcher = spawn(process.execPath, [LAUNCHER, ...words], {
    cwd: folder,
    env,
    stdio: [client.stdout, 'pipe', 'ignore'],
  })
  if (launcher.stdout === null) throw new Error('the launcher has no output')
  const lines = createInterface({ input: launcher.stdout })
  try {
    await use({
      folder,
      socket: join(folder, '.sluice/gate.sock'),
      launcher,
      say: (line) => void client.stdin.write(`${JSON.stringify(line)}\n`),
      nextLine: () => new Promise((done) => lines.once('line', done)),
      allEnded: new Promise((done) => launcher.once('close', done)),
    })
  } finally {
    launcher.kill('SIGKILL')
    client.kill('SIGKILL')
    await run(folder, ['down'])
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

describe.skipIf(process.platform === 'win32')('a launcher that stays in front', () => {
  test.each(someOf(['SIGKILL', 'SIGTERM', 'SIGINT'] as const, 3))('stops its gate cleanly on %s', async (signal) => {
    await behindLauncher(['up', '--trust'], async ({ folder, socket, launcher, nextLine, allEnded }) => {
      expect(await nextLine()).toContain('sluice is up')
      // A running call gets its outcome, as on any other stop.
      const call = ['call', 'book__slow_note', JSON.stringify({ text: 'x', ms: 1_000 }), '--json']
      const { approval_id, call_id } = JSON.parse((await run(folder, call)).out) as Record<string, string>
      const { items } = JSON.parse((await run(folder, ['approvals', '--json'])).out) as {
        items: [{ sentence: Sentence }]
      }
      const typed = items[0].sentence.confirm?.words.join(', ') ?? ''
      expect(await run(folder, ['approve', approval_id ?? '', '--typed', typed])).toMatchObject({ code: 0 })
      await until(() => effectsIn(folder).length === 1)
      launcher.kill(signal)
      await allEnded
      expect(existsSync(socket)).toBe(false)
      await runGate(folder)
      const after = JSON.parse((await run(folder, ['status', call_id ?? '', '--json'])).out) as Record<string, string>
      expect(after['status']).toBe('executed')
      expect(effectsIn(folder)).toHaveLength(1)
    })
  })

  test.skipIf(!IS_WHOLE)('stops `sluice mcp`, but not the gate that it started in the background', async () => {
    await behindLauncher(['mcp'], async ({ folder, launcher, say, nextLine, allEnded }) => {
      say(rpc('tools/list', {}, 1))
      expect(JSON.parse(await nextLine())).toMatchObject({ id: 1, result: {} })
      launcher.kill('SIGKILL')
      await allEnded
      expect((await run(folder, ['servers'])).out).toContain('book')
      expect((await run(folder, ['down'])).out).toContain('the gate has stopped')
    })
  })
})
