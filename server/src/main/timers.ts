const PERSIST_MS = 250

/** Calls back once, after `ms`. Returns a function that cancels it. */
export function after(ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, ms)
  return () => clearTimeout(timer)
}

/**
 * Retries until it succeeds, or the process ends: this does not keep a process alive that has shut down, or that the other nodes
 * declared dead.
 */
export function persist(attempt: () => Promise<boolean>): void {
  const again = () => setTimeout(() => void tryOnce(), PERSIST_MS).unref()
  const tryOnce = async () => {
    const done = await attempt().catch(() => false)
    if (!done) again()
  }
  again()
}
