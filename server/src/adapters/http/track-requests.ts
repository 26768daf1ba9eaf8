import type { Server, ServerResponse } from 'node:http'

/** How long running requests may take after the gate was told to stop. */
export const REQUEST_DRAIN_MS = 10_000

/**
 * Tracks a server's requests. The function that it returns resolves when no request is unanswered, or after
 * the time limit; meanwhile new calls are rejected with `gate.stopping`.
 */
export function trackRequests(server: Server): () => Promise<void> {
  let unanswered = 0
  let onAllAnswered = () => {}
  // Shared by all requests, so that no request is retained by a closure.
  const answered = () => {
    unanswered -= 1
    if (unanswered === 0) onAllAnswered()
  }
  server.on('request', (_, answer: ServerResponse) => {
    unanswered += 1
    // An answer closes once. `once` would allocate a wrapper for each answer.
    answer.on('close', answered)
  })
  return () =>
    new Promise((resolve) => {
      if (unanswered === 0) return resolve()
      const timer = setTimeout(resolve, REQUEST_DRAIN_MS)
      onAllAnswered = () => {
        clearTimeout(timer)
        resolve()
      }
    })
}
