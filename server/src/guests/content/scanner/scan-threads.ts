import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Dlp } from '../section.ts'
import { sizeOf, type ScanResult, type ScanJob } from '../scan-job.ts'

export type ScanLimits = {
  readonly threads: number
  /** The time limit of one search, not counting the time it waits for a thread. */
  readonly most_ms: number
  /** Searches and characters that may wait. */
  readonly most_waiting: number
  readonly most_chars: number
  /** A thread without work ends after this long. */
  readonly idle_ms: number
}

export const SCAN_LIMITS: ScanLimits = {
  threads: 2,
  most_ms: 20_000,
  most_waiting: 256,
  most_chars: 256 * 1_048_576,
  idle_ms: 30_000,
}

type Answer = ScanResult<ScanJob>
type Waiting = { readonly job: ScanJob; done(answer: Answer | 'unknown'): void }
type Thread = { readonly worker: Worker; busy: Waiting | undefined; timer: NodeJS.Timeout | undefined }

/** The thread's file has the extension of this one: `.ts` in the repository, `.js` in the package. */
const SCRIPT = new URL(import.meta.url.endsWith('.ts') ? './scan-thread.ts' : './scan-thread.js', import.meta.url)

/**
 * A few threads that search texts, started with the first large text. A search that takes too long is ended together with its
 * thread, one that finds the queue full does not start: both are `unknown`.
 */
export class ScanThreads {
  private readonly threads: Thread[] = []
  private readonly queue: Waiting[] = []
  private chars = 0
  private closed = false
  private readonly dlp: Dlp
  private readonly limits: ScanLimits

  constructor(dlp: Dlp, limits: ScanLimits) {
    this.dlp = dlp
    this.limits = limits
  }

  run<J extends ScanJob>(job: J): Promise<ScanResult<J> | 'unknown'> {
    const size = sizeOf(job)
    const isFull = this.queue.length >= this.limits.most_waiting || this.chars + size > this.limits.most_chars
    if (this.closed || isFull) return Promise.resolve('unknown')
    this.chars += size
    return new Promise((resolve) => {
      const done = (answer: Answer | 'unknown') => {
        this.chars -= size
        resolve(answer as ScanResult<J> | 'unknown')
      }
      this.queue.push({ job, done })
      this.next()
    })
  }

  async close(): Promise<void> {
    this.closed = true
    for (const waiting of this.queue.splice(0)) waiting.done('unknown')
    await Promise.all(this.threads.map((thread) => this.end(thread)))
  }

  private next(): void {
    if (this.queue.length === 0) return
    const free = this.threads.find(({ busy }) => busy === undefined)
    const thread = free ?? (this.threads.length < this.limits.threads ? this.start() : undefined)
    const waiting = thread === undefined ? undefined : this.queue.shift()
    if (thread === undefined || waiting === undefined) return
    clearTimeout(thread.timer)
    thread.busy = waiting
    thread.timer = setTimeout(() => void this.end(thread), this.limits.most_ms)
    thread.worker.ref()
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- the other side is a thread, not a window
    thread.worker.postMessage(waiting.job)
  }

  private start(): Thread {
    const worker = new Worker(SCRIPT, {
      workerData: this.dlp,
      execArgv: [],
      env: { ...process.env, ...compileCache() },
    })
    const thread: Thread = { worker, busy: undefined, timer: undefined }
    worker.on('message', (answer: Answer) => this.settle(thread, answer))
    // A thread that dies leaves its search unfinished; `exit` follows.
    worker.on('error', () => {})
    worker.on('exit', () => this.forget(thread))
    this.threads.push(thread)
    return thread
  }

  private settle(thread: Thread, answer: Answer): void {
    const { busy } = thread
    clearTimeout(thread.timer)
    thread.busy = undefined
    thread.worker.unref()
    thread.timer = setTimeout(() => void this.end(thread), this.limits.idle_ms).unref()
    busy?.done(answer)
    this.next()
  }

  private async end(thread: Thread): Promise<void> {
    await thread.worker.terminate()
    this.forget(thread)
  }

  private forget(thread: Thread): void {
    const at = this.threads.indexOf(thread)
    if (at === -1) return
    this.threads.splice(at, 1)
    clearTimeout(thread.timer)
    thread.busy?.done('unknown')
    this.next()
  }
}

/** A thread does not inherit the cache of compiled modules; without it, it would load the type stripper again. */
function compileCache(): { readonly NODE_COMPILE_CACHE?: string } {
  const folder = getCompileCacheDir()
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) }
}
