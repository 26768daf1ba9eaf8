import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { idsOf, type RunAs } from '../../adapters/upstream/run-as.ts'
import { childEnv } from '../../adapters/upstream/stdio/child-env.ts'

export type ChildProgram = {
  readonly program: string
  readonly args: readonly string[]
  readonly stdin: string | undefined
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly data?: string
  readonly run_as?: RunAs
  /** Bytes of stdout. */
  readonly output_limit: number
  readonly grace_ms: number
}

/** `not_started`: guaranteed not to have run. */
export type EndedProgram =
  | { readonly is: 'exited'; readonly code: number; readonly stdout: Buffer; readonly stderr: string }
  | { readonly is: 'killed'; readonly signal: string }
  | { readonly is: 'too_large' }
  | { readonly is: 'not_started'; readonly says: string }

export type Running = {
  /** Never rejects. */
  readonly ended: Promise<EndedProgram>
  /** Ends it and everything it started: asks first, then forces. */
  kill(): void
}

/** The end of stderr usually says why. */
const STDERR_KEPT = 4_000
/** How long the pipe is still read after the program has ended, in case something it started keeps the pipe open. */
const DRAIN_MS = 250

/** Runs one program from start to end, in its own process group. Never through a shell. */
export function runProgram(wanted: ChildProgram): Running {
  try {
    return watch(startChild(wanted), wanted)
  } catch (error) {
    // For example, arguments that are too long.
    return { ended: Promise.resolve({ is: 'not_started', says: String(error) }), kill: () => undefined }
  }
}

const own_group = process.platform !== 'win32'

const startChild = (wanted: ChildProgram) =>
  spawn(wanted.program, wanted.args, {
    cwd: wanted.cwd,
    env: childEnv(wanted.env, process.env, wanted.data, wanted.run_as),
    ...idsOf(wanted.run_as),
    stdio: ['pipe', 'pipe', 'pipe'],
    shell: false,
    windowsHide: true,
    detached: own_group,
  })

function watch(child: ReturnType<typeof startChild>, wanted: ChildProgram): Running {
  const parts: Buffer[] = []
  let bytes = 0
  let stderr = ''
  let alive = true
  let is_too_large = false

  function signal(name: 'SIGTERM' | 'SIGKILL'): void {
    if (child.pid === undefined || !alive) return
    try {
      if (own_group) process.kill(-child.pid, name)
      else child.kill(name)
    } catch {
      // It has already ended.
    }
  }

  child.stdout.on('data', (part: Buffer) => {
    bytes += part.length
    if (bytes <= wanted.output_limit) parts.push(part)
    else {
      is_too_large = true
      signal('SIGKILL')
    }
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr = `${stderr}${text}`.slice(-STDERR_KEPT)))
  // Errors of a closing pipe add nothing to the exit status.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => undefined)
  child.stdin.end(wanted.stdin)

  const exited = new Promise<EndedProgram>((resolve) => {
    child.once('error', (error) => {
      // An error before there is a process; a later one is about a signal that could not be delivered.
      if (child.pid === undefined) resolve({ is: 'not_started', says: error.message })
    })
    child.once('exit', (code, name) => {
      alive = false
      resolve(
        code === null
          ? { is: 'killed', signal: name ?? 'unknown' }
          : { is: 'exited', code, stdout: Buffer.alloc(0), stderr: '' },
      )
    })
  })

  async function end(): Promise<EndedProgram> {
    const how = await exited
    if (how.is === 'not_started') return how
    await Promise.race([Promise.all([ending(child.stdout), ending(child.stderr)]), sleep(DRAIN_MS)])
    child.stdout.destroy()
    child.stderr.destroy()
    if (is_too_large) return { is: 'too_large' }
    return how.is === 'exited' ? { ...how, stdout: Buffer.concat(parts), stderr: wholeLines(stderr) } : how
  }

  return {
    ended: end(),
    kill() {
      signal('SIGTERM')
      setTimeout(() => signal('SIGKILL'), wanted.grace_ms).unref()
    },
  }
}

async function ending(stream: NodeJS.ReadableStream & { readonly readableEnded: boolean }): Promise<void> {
  if (!stream.readableEnded) await once(stream, 'end').catch(() => undefined)
}

/** If the beginning was cut off, start at the next line: half of a secret could not be recognized. */
const wholeLines = (text: string) => (text.length < STDERR_KEPT ? text : text.slice(text.indexOf('\n') + 1))
