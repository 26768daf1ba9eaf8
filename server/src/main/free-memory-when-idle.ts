import { performance } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { garbageCollector } from '../adapters/stores/collect-garbage.ts'

const CHECK_MS = 1_000
/** A gate that was busy at more checks than this is no longer starting. */
const STARTING_CHECKS = 2
/**
 * How many checks in a row must find the gate idle, while it starts and later. The collection also drops compiled code, and
 * until it is compiled again a call costs twice. That must not happen between two bursts of calls, or while an agent thinks or
 * waits for a person.
 */
const IDLE_CHECKS = { starting: 1, working: 600 }
/**
 * The gate is idle if its main thread used less than this share of a processor. Not the share of the time that the event loop was
 * busy: on a busy machine that includes the time it waited for a processor.
 */
const IDLE_BELOW = 0.05
/** Less than this is not worth a pause. */
const WORTH_BYTES = 8 * 2 ** 20
/** V8 drops the bytecode of functions that did not run during this many collections. `working` is the usual value. */
const DROP_BYTECODE = { starting: '--bytecode-old-age=1', working: '--bytecode-old-age=6' }

/**
 * Returns unused memory to the operating system when the gate is idle: after one idle second while it starts, later after ten
 * idle minutes. V8 itself collects garbage only while something is allocated, and keeps the empty pages. The collection stops the event
 * loop for about a tenth of a second. Returns a function that stops the checks.
 */
export function freeMemoryWhenIdle(): () => void {
  let collect: (() => void) | undefined
  let settled = 0
  let [busy, idle] = [0, 0]
  let since = usage()
  const check = () => {
    const now = usage()
    const utilization = (now.used_ms - since.used_ms) / (now.at_ms - since.at_ms)
    since = now
    busy += utilization > IDLE_BELOW ? 1 : 0
    idle = utilization > IDLE_BELOW ? 0 : idle + 1
    const isStarting = busy <= STARTING_CHECKS
    if (idle < (isStarting ? IDLE_CHECKS.starting : IDLE_CHECKS.working)) return
    if (getHeapStatistics().total_physical_size < settled + WORTH_BYTES) return
    collect ??= garbageCollector()
    if (isStarting) setFlagsFromString(DROP_BYTECODE.starting)
    collect()
    if (isStarting) setFlagsFromString(DROP_BYTECODE.working)
    settled = getHeapStatistics().total_physical_size
    since = usage()
  }
  const timer = setInterval(check, CHECK_MS)
  return () => clearInterval(timer)
}

function usage(): { readonly at_ms: number; readonly used_ms: number } {
  const { user, system } = process.threadCpuUsage()
  return { at_ms: performance.now(), used_ms: (user + system) / 1_000 }
}
