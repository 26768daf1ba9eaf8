const PERSIST_MS = 250

/** Calls back once, after so long. Returns how to give that up. */
export function after(ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, ms)
  return () => clearTimeout(timer)
}

/** Tries again until it is done, or the process ends: this keeps none alive that has shut down, or that the other nodes take for dead. */
export function persist(attempt: () => Promise<boolean>): void {
  const again = () => setTimeout(() => void tryOnce(), PERSIST_MS).unref()
  const tryOnce = async () => {
    const done = await attempt().catch(() => false)
    if (!done) again()
  }
  again()
}
