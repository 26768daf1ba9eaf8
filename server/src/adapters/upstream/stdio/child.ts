import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { StdioServer } from '../server-kind.ts'
import { idsOf } from '../run-as.ts'
import { childEnv } from './child-env.ts'
import { paced } from '../paced.ts'
import { lineReader, type LineReader, type LineSink } from '../line-reader.ts'

const STDERR_LINE = 2_000
/** A line this many limits long is considered endless. */
const ENDLESS = 10
/** How long the pipe is still read after the process has ended, in case a grandchild keeps the pipe open. */
const DRAIN_MS = 250

export type Child = {
  readonly pid: number | undefined
  /** Settles when the process runs, or with the reason why it does not. */
  readonly started: Promise<string | undefined>
  /** Settles when nothing more can come from it, with a sentence about its end. */
  readonly ended: Promise<string>
  /** False as soon as its end is known or decided. */
  isUsable(): boolean
  /** Whether it is inside a line that is already over the limit. */
  isSkipping(): boolean
  /** False if the child is known not to read any more: then nothing was written. */
  write(text: string): boolean
  kill(): void
  /** Ends stdin, then asks, then forces; each step only if the previous one did not help. */
  close(grace_ms: number): Promise<void>
}

export type ChildSink = LineSink & { stderr(line: string): void }

/** One process that communicates in lines. Knows nothing about MCP. */
export function startChild(config: StdioServer, sink: ChildSink): Child {
  const own_group = process.platform !== 'win32'
  const child = spawn(config.command, config.args, {
    cwd: config.cwd,
    env: childEnv(config.env, process.env, config.data, config.run_as),
    ...idsOf(config.run_as),
    stdio: ['pipe', 'pipe', 'pipe'],
    shell: false,
    windowsHide: true,
    // Its own process group, so that everything it starts (a wrapper's real server) ends with it.
    detached: own_group,
  })
  let alive = true
  let usable = true
  const reader = lineReader({ line: config.output_limit, endless: config.output_limit * ENDLESS }, sink)
  const pacedReader = paced((piece) => reader.push(piece), child.stdout)
  child.stdout.on('data', (chunk: Buffer) => pacedReader.push(chunk))
  readStderr(child, sink)
  // Errors of a closing pipe add nothing to the exit status.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => undefined)

  const started = new Promise<string | undefined>((resolve) => {
    child.once('spawn', () => resolve(undefined))
    child.once('error', (error) => resolve(spawnFault(error, config.command)))
  })
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`))
  })
  const ended = exited.then(async (says) => {
    alive = false
    usable = false
    if (child.pid !== undefined && !child.stdout.readableEnded)
      await Promise.race([once(child.stdout, 'end'), sleep(DRAIN_MS)]).catch(() => undefined)
    await Promise.race([pacedReader.done(), sleep(DRAIN_MS)])
    child.stdout.destroy()
    child.stderr.destroy()
    child.stdin.destroy()
    return says
  })

  let outbox = ''
  function flush(): void {
    const text = outbox
    outbox = ''
    if (text !== '' && child.stdin.writable) child.stdin.write(text)
  }

  function signal(name: 'SIGTERM' | 'SIGKILL'): void {
    if (child.pid === undefined || !alive) return
    try {
      if (own_group) process.kill(-child.pid, name)
      else child.kill(name)
    } catch {
      // It has already ended.
    }
  }

  return {
    pid: child.pid,
    started,
    ended,
    isUsable: () => usable,
    isSkipping: () => reader.isSkipping(),
    write(text) {
      if (!usable || !child.stdin.writable) return false
      // Calls that start together are sent together: one system call here, and one there.
      if (outbox === '') process.nextTick(flush)
      outbox += text
      return true
    },
    kill() {
      usable = false
      signal('SIGKILL')
    },
    async close(grace_ms) {
      usable = false
      flush()
      child.stdin.end()
      for (const name of ['SIGTERM', 'SIGKILL'] as const) {
        const late = await Promise.race([ended.then(() => false), sleep(grace_ms, true, { ref: false })])
        if (!late) return
        signal(name)
      }
      await ended
    },
  }
}

function readStderr(child: ChildProcess, sink: ChildSink): void {
  const cut = (line: { readonly head: string }) => sink.stderr(`${line.head} […]`)
  const reader: LineReader = lineReader(
    { line: STDERR_LINE, endless: Number.MAX_SAFE_INTEGER },
    { line: (bytes) => sink.stderr(bytes.toString()), overlong: cut, endless: cut },
  )
  if (child.stderr === null) return
  const pacedReader = paced((piece) => reader.push(piece), child.stderr)
  child.stderr.on('data', (chunk: Buffer) => pacedReader.push(chunk))
}

/** Why a program could not be started, for the person who configured it. */
function spawnFault({ code, message }: NodeJS.ErrnoException, command: string): string {
  if (code === 'ENOENT') return `the program \`${command}\` was not found; check \`command\` and PATH`
  return code === 'EACCES' ? `the program \`${command}\` may not be executed` : message
}
