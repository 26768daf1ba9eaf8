import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isMainThread } from 'node:worker_threads'

/**
 * Loaded into the gate's own process: how much processor time its main thread took at most between two turns of the event loop.
 * Processor time, because on a busy machine every turn is late. On request it reports the time in milliseconds and resets it.
 */
const file = process.env['LOOP_MONITOR']
if (file !== undefined && isMainThread && process.argv.includes('up')) {
  let last = process.threadCpuUsage()
  let longest = 0
  const measure = () => {
    const now = process.threadCpuUsage()
    longest = Math.max(longest, (now.user + now.system - last.user - last.system) / 1000)
    last = now
  }
  setInterval(measure, 2).unref()
  const server = createServer((_, answer) => {
    answer.setHeader('connection', 'close').end(String(longest))
    longest = 0
  })
  server.listen(0, '127.0.0.1', () => writeFileSync(file, String((server.address() as AddressInfo).port))).unref()
}
