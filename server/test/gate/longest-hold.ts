/**
 * The longest time for which the event loop was blocked, in milliseconds of this thread's processor time. Other work on the machine
 * does not count.
 */
export function watchHolds(): { longest(): number; stop(): number } {
  let longest = 0
  let stopped = false
  let before = process.threadCpuUsage()
  const turn = (): void => {
    const now = process.threadCpuUsage()
    longest = Math.max(longest, (now.user - before.user + now.system - before.system) / 1_000)
    before = now
    if (!stopped) setImmediate(turn)
  }
  setImmediate(turn)
  return {
    longest: () => longest,
    stop() {
      stopped = true
      return longest
    },
  }
}
