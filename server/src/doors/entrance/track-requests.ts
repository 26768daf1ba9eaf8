import type { Server, ServerResponse } from 'node:http'

/** How long running requests may take after the gate was told to stop. */
export const REQUEST_DRAIN_MS = 10_000

/**
 * Tracks a server's requests. The function that it returns resolves when no request is unanswered, or after
 * the time limit; meanwhile new requests are told that the gate is stopping.
 */
export function trackRequests(server: Server): () => Promise<void> {
  const waiting = new Set<ServerResponse>()
  let onNobody = () => {}
  server.on('request', (_, answer: ServerResponse) => {
    waiting.add(answer)
    answer.on('close', () => {
      waiting.delete(answer)
      if (waiting.size === 0) onNobody()
    })
  })
  return () =>
    new Promise((resolve) => {
      if (waiting.size === 0) return resolve()
      const timer = setTimeout(resolve, REQUEST_DRAIN_MS)
      onNobody = () => {
        clearTimeout(timer)
        resolve()
      }
    })
}
