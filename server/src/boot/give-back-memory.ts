import { performance } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const LOOK_MS = 1_000
/** The share of that time in which the event loop may have worked. */
const QUIET = 0.05
/** Less than this is not worth a pause. */
const WORTH_BYTES = 8 * 2 ** 20

type Collect = (how: { readonly type: 'major'; readonly flavor: 'last-resort' }) => void

/**
 * Gives the memory that a start or a busy hour has left behind back to the machine, once a second has passed in which
 * nobody asked for anything. V8 by itself looks for garbage only while something is allocated, and keeps the empty pages.
 * The collection stops the event loop for about a tenth of a second. Returns how to stop looking.
 */
export function giveBackMemory(): () => void {
  let collect: Collect | undefined
  let settled = 0
  let since = performance.eventLoopUtilization()
  const look = () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, since)
    since = now
    if (utilization > QUIET || getHeapStatistics().total_physical_size < settled + WORTH_BYTES) return
    collect ??= collector()
    collect({ type: 'major', flavor: 'last-resort' })
    settled = getHeapStatistics().total_physical_size
    since = performance.eventLoopUtilization()
  }
  const timer = setInterval(look, LOOK_MS)
  return () => clearInterval(timer)
}

/** V8's own function, which it shows only to contexts that are made after it was told to. */
function collector(): Collect {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as Collect
}
