import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { openTelemetry } from './open-telemetry.ts'

const readings = async () => ({
  approvals_pending: [],
  runs_faulted: [],
  audit_entries: [{ value: 1 }],
  active: [],
  queued: [],
  breaker: [],
  up: [],
  tools: [],
})

test('a collector that rejects everything is reported once, and does not prevent the gate from stopping', async () => {
  let posts = 0
  const away = createServer((_request, response) => {
    posts += 1
    response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => away.listen(0, '127.0.0.1', resolve))
  const address = away.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const endpoint = `http://127.0.0.1:${address.port}`
  const reported: string[] = []
  const otlp = { endpoint, headers: {} }
  const telemetry = openTelemetry({ version: '1', readings, otlp, onFault: (where) => void reported.push(where) })
  await telemetry.begin()
  const spans = telemetry.live()?.spans
  spans?.end(spans.inTrace('0af7651916cd43dd8448eb211c80319c', 'call'))
  await telemetry.close()
  away.close()
  expect(posts).toBeGreaterThanOrEqual(2)
  expect(reported).toEqual([endpoint])
})
