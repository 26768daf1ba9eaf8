import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fromPeers } from '../gate/peers.ts'
import type { RunSystem } from './system.ts'

const START_MS = 60_000

/** A separate server on loopback, as published and with its defaults (it waits for fsync), and a service with its SDK. */
export async function openRestate(): Promise<RunSystem> {
  const folder = mkdtempSync(join(tmpdir(), 'restate-bench-runs-'))
  const [fabric = 0, admin = 0, ingress = 0, service = 0] = await freePorts(4)
  const children: ChildProcess[] = []
  const agent = new Agent({ keepAlive: true })
  const close = async () => {
    agent.destroy()
    for (const child of children) {
      const ended = once(child, 'exit')
      if (child.exitCode === null && child.kill('SIGKILL')) await ended
    }
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    const env = {
      ...process.env,
      RESTATE_DISABLE_TELEMETRY: 'true',
      RESTATE_LISTEN_MODE: 'tcp',
      RESTATE_BIND_IP: '127.0.0.1',
      RESTATE_BIND_PORT: String(fabric),
      RESTATE_ADMIN__BIND_PORT: String(admin),
      RESTATE_INGRESS__BIND_PORT: String(ingress),
      RUST_LOG: 'error',
    }
    children.push(spawn(serverFile(), ['--base-dir', folder, '--no-logo'], { env, stdio: 'ignore' }))
    children.push(
      spawn(process.execPath, [join(import.meta.dirname, 'restate-service.ts'), String(service)], { stdio: 'ignore' }),
    )
    const post = (port: number, path: string, body?: object) => ask(agent, port, path, body)
    const uri = `http://127.0.0.1:${service}`
    const deadline = Date.now() + START_MS
    while (!(await succeeds(() => post(admin, '/deployments', { uri })))) {
      if (children.some(({ exitCode }) => exitCode !== null)) throw new Error('a process of Restate has ended')
      if (Date.now() > deadline) throw new Error('Restate does not start')
      await sleep(200)
    }
    while (!(await succeeds(() => post(ingress, '/runs/ten')))) {
      if (Date.now() > deadline) throw new Error('Restate executes no run')
      await sleep(200)
    }
    return { store: 'rocksdb, fsync', run: async () => Number(await post(ingress, '/runs/ten')), close }
  } catch (error) {
    await close()
    throw error
  }
}

/** The binary for this machine: a package of its own for each platform. */
function serverFile(): string {
  return fromPeers.resolve(`@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`)
}

function ask(agent: Agent, port: number, path: string, body?: object): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' }
    const sent = request({ agent, host: '127.0.0.1', port, path, method: 'POST', headers }, (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (part: string) => (text += part))
      answer.on('error', reject)
      answer.on('end', () => {
        if ((answer.statusCode ?? 500) < 300) resolve(text)
        else reject(new Error(`Restate answers ${answer.statusCode}: ${text}`))
      })
    })
    sent.on('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

const succeeds = (attempt: () => Promise<unknown>): Promise<boolean> =>
  attempt().then(
    () => true,
    () => false,
  )

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(servers.map((server) => once(server.close(), 'close')))
  return ports
}
