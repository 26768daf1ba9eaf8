import { performance } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const LOOK_MS = 1_000
/** A gate that was busy for longer than this is no longer starting. */
const STARTING_LOOKS = 2
/**
 * Idle checks in a row, while it starts and later. Compiled code is collected too, and until it is compiled again a call costs
 * twice: that must not happen between two bursts of calls.
 */
const QUIET_LOOKS = { starting: 1, working: 60 }
/** The share of that time in which the event loop may have been busy. */
const QUIET = 0.05
/** Less than this is not worth a pause. */
const WORTH_BYTES = 8 * 2 ** 20
/** After this many collections V8 drops the bytecode of functions that did not run in between, and when that is over. */
const DROP_BYTECODE = { starting: '--bytecode-old-age=1', working: '--bytecode-old-age=6' }

type Collect = (how: { readonly type: 'major'; readonly flavor: 'last-resort' }) => void

/**
 * Returns the memory that a start or a busy hour has left to the operating system, once the gate is idle: for a second after the
 * start, later for a minute. V8 by itself collects garbage only while something is allocated, and keeps the empty pages. The
 * collection stops the event loop for about a tenth of a second. Returns how to stop checking.
 */
export function freeMemoryWhenIdle(): () => void {
  let collect: Collect | undefined
  let settled = 0
  let [busy, quiet] = [0, 0]
  let since = performance.eventLoopUtilization()
  const look = () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, since)
    since = now
    busy += utilization > QUIET ? 1 : 0
    quiet = utilization > QUIET ? 0 : quiet + 1
    const isStarting = busy <= STARTING_LOOKS
    if (quiet < (isStarting ? QUIET_LOOKS.starting : QUIET_LOOKS.working)) return
    if (getHeapStatistics().total_physical_size < settled + WORTH_BYTES) return
    collect ??= collector()
    if (isStarting) setFlagsFromString(DROP_BYTECODE.starting)
    collect({ type: 'major', flavor: 'last-resort' })
    if (isStarting) setFlagsFromString(DROP_BYTECODE.working)
    settled = getHeapStatistics().total_physical_size
    since = performance.eventLoopUtilization()
  }
  const timer = setInterval(look, LOOK_MS)
  return () => clearInterval(timer)
}

/** V8's own function, which is visible only in contexts created after it was enabled. */
function collector(): Collect {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as Collect
}
