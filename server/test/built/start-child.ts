import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { built } from './built.ts'

export type StartedChild = {
  readonly process: ChildProcess
  /** The next line that it prints. If it ends first, the error contains its exit code and what it wrote to stderr. */
  readonly line: () => Promise<string>
  readonly say: (text: string) => void
  /** Resolves with its exit code when it has ended; null after a signal. */
  readonly ended: Promise<number | null>
  readonly kill: () => Promise<void>
}

/** Runs a script of a test in a process of its own. */
export function startChild(script: string, words: readonly string[]): StartedChild {
  const child = spawn(process.execPath, [built(script), ...words], { stdio: ['pipe', 'pipe', 'pipe'] })
  let complaints = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (complaints += text))
  // A child that has ended takes no more input; what it did not print is reported by `line`.
  child.stdin.on('error', () => undefined)
  const closed = once(child, 'close') as Promise<[number | null, string | null]>
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    process: child,
    async line() {
      const next = await lines.next()
      if (next.done !== true) return next.value
      const [code, signal] = await closed
      throw new Error(`${script} ended with ${code ?? signal}: ${complaints}`)
    },
    say: (text) => void child.stdin.write(text),
    ended: closed.then(([code]) => code),
    async kill() {
      child.kill('SIGKILL')
      await closed
    },
  }
}
