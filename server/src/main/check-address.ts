import { createServer } from 'node:net'
import type { Result } from '../kernel/contract/problems.ts'
import { bind } from '../adapters/http/bind.ts'

/** Whether a gate could listen there now. */
export async function checkAddress(host: string, port: number): Promise<Result<void>> {
  // Listens for a moment and answers nobody.
  const probe = createServer((socket) => socket.destroy())
  const bound = await bind(probe, `${host}:${port}`, () => probe.listen(port, host))
  if (bound.ok) await new Promise((closed) => probe.close(closed))
  return bound
}
