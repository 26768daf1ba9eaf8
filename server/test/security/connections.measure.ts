import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { configure, startGate } from '../helpers/with-running-gate.ts'
import { open } from './raw-connection.ts'

const CONNECTIONS = 10_000
const LIMITS = { connections: 200, headers_ms: 3_000, request_ms: 4_000, header_bytes: 4_096 }
const MOST_MB = 150

test('ten thousand connections cost a bounded amount of memory', { timeout: 600_000 }, async () => {
  const gate = await startGate((folder) => {
    configure(folder)
    const file = join(folder, 'sluice.yaml')
    const config = JSON.parse(readFileSync(file, 'utf8')) as { listen: object }
    writeFileSync(file, JSON.stringify({ ...config, listen: { ...config.listen, limits: LIMITS } }))
  })
  const residentMb = () =>
    Number(spawnSync('ps', ['-o', 'rss=', '-p', String(gate.process.pid)], { encoding: 'utf8' }).stdout) / 1_024
  try {
    const before = residentMb()
    const sockets: Socket[] = []
    for (let nth = 0; nth < CONNECTIONS; nth += 100)
      sockets.push(...(await Promise.all(Array.from({ length: 100 }, () => open(gate.url)))))
    const alive = () => sockets.filter((socket) => !socket.destroyed && !socket.readableEnded)
    for (const socket of sockets) socket.resume()
    while (alive().length > LIMITS.connections)
      await Promise.race(alive().map((socket) => once(socket, 'close').catch(() => undefined)))
    const grown = residentMb() - before
    console.log(`${CONNECTIONS} connections: ${before.toFixed(0)} MB before, ${grown.toFixed(0)} MB more after`)
    for (const socket of sockets) socket.destroy()
    expect(grown).toBeLessThan(MOST_MB)
  } finally {
    await gate.stop()
  }
})
