import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../free-port.ts'

/** Whether this machine has Redis (`npm run get-redis`). If not, a message in the tests says what is skipped. */
export const hasRedis = spawnSync('redis-server', ['--version']).status === 0
if (!hasRedis && process.env['VITEST'] !== undefined)
  process.stderr.write('SKIPPED: no redis-server (npm run get-redis), so nothing was tested with Redis\n')

export type TestRedis = {
  readonly url: string
  readonly process: ChildProcess
  /** Deletes all its data. */
  empty(): Promise<void>
  stop(): Promise<void>
}

/** A Redis on loopback that keeps nothing on the disk. */
export async function startRedis(port?: number): Promise<TestRedis> {
  const at = port ?? (await freePort())
  const flags = ['--port', String(at), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--daemonize', 'no']
  const server = spawn('redis-server', flags, { stdio: 'ignore' })
  const until = Date.now() + 60_000
  while (!(await answers(at))) {
    if (server.exitCode !== null || Date.now() > until) throw new Error('redis did not start')
    await sleep(20)
  }
  return {
    url: `redis://127.0.0.1:${at}`,
    process: server,
    async empty() {
      const socket = connect({ port: at, host: '127.0.0.1' })
      socket.write('FLUSHALL\r\n')
      await once(socket, 'data')
      socket.destroy()
    },
    async stop() {
      if (server.exitCode !== null || server.signalCode !== null) return
      server.kill('SIGKILL')
      await once(server, 'exit')
    },
  }
}

async function answers(port: number): Promise<boolean> {
  const socket = connect({ port, host: '127.0.0.1' })
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
