/**
 * Runs reads one after the other; a request during a read causes one more read after it. Two at once could answer out
 * of order, and the older answer would stay on the screen.
 */
export function oneAtATime(look: () => Promise<void>): () => Promise<void> {
  let underWay: Promise<void> | undefined
  let wanted = false
  const all = async () => {
    do {
      wanted = false
      await look()
    } while (wanted)
  }
  return () => {
    wanted = true
    underWay ??= all().finally(() => (underWay = undefined))
    return underWay
  }
}
