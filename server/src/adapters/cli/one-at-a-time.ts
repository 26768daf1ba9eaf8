/**
 * Runs reads one after the other; a request during a read causes one more read after it. Two at once could answer out
 * of order, and the older answer would stay on the screen.
 */
export function oneAtATime(read: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let isRequested = false
  const all = async () => {
    do {
      isRequested = false
      await read()
    } while (isRequested)
  }
  return () => {
    isRequested = true
    running ??= all().finally(() => (running = undefined))
    return running
  }
}
