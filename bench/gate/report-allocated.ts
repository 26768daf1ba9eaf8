import { writeFileSync } from 'node:fs'
import { getHeapStatistics } from 'node:v8'
import { BroadcastChannel, isMainThread } from 'node:worker_threads'

// Loaded into a gateway with `--import`, in each of its threads. On SIGUSR2 the process writes how many bytes all its threads
// have allocated so far to the file that ALLOCATED_FILE names.

/** Node's types do not have the field yet. */
const allocated = (): number =>
  (getHeapStatistics() as unknown as { total_allocated_bytes: number }).total_allocated_bytes

const channel = new BroadcastChannel('allocated')
channel.unref()
const post = channel.postMessage.bind(channel)
const receive = (listener: (data: unknown) => void) =>
  channel.addEventListener('message', (event) => listener((event as unknown as { readonly data: unknown }).data))
const ANSWERS_MS = 100

if (isMainThread) {
  let others = 0
  receive((data) => void (others += typeof data === 'number' ? data : 0))
  process.on('SIGUSR2', () => {
    others = 0
    post('how many')
    setTimeout(() => {
      const file = process.env['ALLOCATED_FILE']
      if (file !== undefined) writeFileSync(file, String(allocated() + others))
    }, ANSWERS_MS)
  })
} else {
  receive((data) => {
    if (data === 'how many') post(allocated())
  })
}
