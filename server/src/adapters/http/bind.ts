import type { Server } from 'node:net'
import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'

const WHY: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program uses this port',
  EACCES: 'you do not have permission to use it',
  EADDRNOTAVAIL: 'this machine does not have this address',
  ENOTFOUND: 'this host name is unknown',
}

/** Waits until a server listens, or cannot. */
export function bind(server: Server, address: string, start: () => void): Promise<Result<void>> {
  return new Promise((resolve) => {
    server.once('error', ({ code, message }: NodeJS.ErrnoException) => {
      const why = WHY[code ?? '']
      resolve(
        refuse('gate.no_address', { address, because: why === undefined ? (code ?? message) : `${why} (${code})` }),
      )
    })
    server.once('listening', () => resolve(ok(undefined)))
    start()
  })
}
