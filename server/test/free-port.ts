import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Systems give ports from 32768 on to listeners and connections that ask for any port. */
const [LOWEST, HIGHEST] = [20_000, 32_000]

/**
 * A port that nobody listens on. It is not one that another program gets by asking for any port, so it is still free seconds later,
 * when a slow program begins to listen.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, HIGHEST)
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((done) => {
    const server = createServer()
    server.once('error', () => done(false))
    server.listen(port, '127.0.0.1', () => server.close(() => done(true)))
  })
}
