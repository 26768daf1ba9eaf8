import { setFlagsFromString } from 'node:v8'
import type { DoorListener } from '../adapters/http/listen.ts'

/** The launcher starts a gate with other values of these; then V8 only interprets. */
const COMPILE = [
  '--minimum-invocations-before-optimization=2',
  '--use-osr',
  '--baseline-batch-compilation-threshold=4096',
]
const MARK = '--minimum-invocations-before-optimization=1000000000'
/** V8 compiles a function after some hundreds of calls, so this many requests before that make no difference. */
const BUSY_REQUESTS = 16
/** A gate with few tools starts with less CPU time than this; a larger one starts faster with the compilers. */
const LONG_START_MS = 1_500
const CHECK_MS = 100

/**
 * V8's compilers take about 12 MB: pages of Node's binary, and the code they make for functions that run only at the start. A gate
 * therefore starts with thresholds that are never reached, and sets the usual ones when it is busy.
 */
export function compileWhenBusy(options: readonly string[] = process.execArgv) {
  let isWaiting = options.includes(MARK)
  let requests = 0

  const enable = () => {
    clearInterval(timer)
    if (!isWaiting) return
    isWaiting = false
    for (const option of COMPILE) setFlagsFromString(option)
  }

  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage()
    if (user + system > LONG_START_MS * 1_000) enable()
  }, CHECK_MS)

  /** Counts requests, and leaves them to the other doors. */
  const count: DoorListener = () => {
    requests += 1
    if (requests === BUSY_REQUESTS) enable()
    return false
  }

  return { enable, count, started: () => clearInterval(timer) }
}
