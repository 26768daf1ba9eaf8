import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { Bug, ok, type Result } from '../../../kernel/contract/problems.ts'
import type { AskedBatch, AskedReply, Batch, BatchLink, BatchReply, Tail } from '../batch-link.ts'
import type { SqliteTuning } from './connect.ts'
import type { PackedCommit } from './packed-commit.ts'
import type { RowKey } from '../row-mac.ts'

export type WriterSetup = {
  readonly file: string
  readonly stream: string
  /** Identifies this process among all that write to the file. It stays the same when its thread is restarted. */
  readonly writer: string
  readonly tuning: SqliteTuning
  readonly rows: RowKey
  /** Nobody else appends to the stream. */
  readonly alone: boolean
  /** Where the stream ended when the previous thread last answered. */
  readonly last?: Tail | undefined
  /** Gets the newest entry after each group of commits. */
  readonly noteFile?: string | undefined
  /** An entry that an earlier process is known to have stored. */
  readonly floor?: Tail | undefined
}

/** The connection to the writing thread. */
export type WorkerLink = BatchLink<PackedCommit>

/** The thread's file has the extension of this one: `.ts` in the repository, `.js` in the package. */
const WORKER = new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url)

/** Starts the thread; it has connected and migrated when this returns. */
export async function linkWorker(setup: WriterSetup, script: URL = WORKER): Promise<Result<WorkerLink>> {
  const worker = new Worker(script, { workerData: setup, execArgv: [], env: { ...process.env, ...compileCache() } })
  let awaited: { resolve(reply: unknown): void; reject(error: Error): void } | undefined
  let died: Error | undefined

  const reply = (): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (died !== undefined) reject(died)
      else awaited = { resolve, reject }
    })
  let cause: unknown
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  worker.on('message', (message: unknown) => awaited?.resolve(message))
  worker.on('error', (error) => void (cause = error))
  // Not before the thread has ended: until then its connection may hold the write lock.
  worker.on('exit', () => {
    died = new Bug('the thread that writes the ledger has ended', { cause })
    awaited?.reject(died)
  })

  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- the other side is a thread, not a window
  const post = (message: Batch<PackedCommit> | AskedBatch | 'end') => worker.postMessage(message)
  const end = () => {
    post('end')
    return exited
  }

  const started = (await reply()) as Result<void>
  if (!started.ok) {
    await end()
    return started
  }
  return ok({
    send(batch) {
      const answer = reply()
      post(batch)
      return answer as Promise<BatchReply>
    },
    ask(asked) {
      const answer = reply()
      post(asked)
      return answer as Promise<AskedReply>
    },
    end,
  })
}

/** A thread does not inherit the cache of compiled modules; without it, it would load the type stripper again. */
function compileCache(): { readonly NODE_COMPILE_CACHE?: string } {
  const folder = getCompileCacheDir()
  // This process has its own folder below the one it was given.
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) }
}
