import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { HttpServer } from '../../src/adapters/upstream/server-kind.ts'

export type HttpProcess = {
  readonly port: number
  readonly url: string
  /** The server as it would be configured. */
  readonly as: (name: string, more?: Partial<HttpServer>) => HttpServer
  readonly stop: () => Promise<void>
}

/** A script of this folder as a separate process that listens on this machine. */
export async function startHttp(
  script: string,
  {
    args = [],
    env = {},
    path = '/mcp',
  }: { args?: readonly string[]; env?: Record<string, string>; path?: string } = {},
): Promise<HttpProcess> {
  const child: ChildProcess = spawn(process.execPath, [resolve(import.meta.dirname, script), ...args], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  if (child.stdout === null) throw new Error('it has no stdout')
  const lines = createInterface({ input: child.stdout })
  const port = Number((await Promise.race([once(lines, 'line'), ended]))[0])
  const url = `http://127.0.0.1:${port}${path}`
  return {
    port,
    url,
    as: (name, more = {}) => ({
      name,
      url,
      headers: {},
      timeout_ms: 10_000,
      concurrency: 16,
      output_limit: 65_536,
      trusted: false,
      ...more,
    }),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** Real processes for one test. */
export async function withHttp(
  starting: readonly Promise<HttpProcess>[],
  use: (...servers: HttpProcess[]) => Promise<void>,
): Promise<void> {
  const servers = await Promise.all(starting)
  try {
    await use(...servers)
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
  }
}
