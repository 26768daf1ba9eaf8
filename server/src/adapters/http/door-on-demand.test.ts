import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { doorOnDemand } from './door-on-demand.ts'
import type { DoorListener } from './listen.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

async function served(load: () => Promise<DoorListener>) {
  const incidents: unknown[] = []
  const door = doorOnDemand(load, {
    newTrace: () => 'trace',
    onIncident: (error) => `incident-${incidents.push(error)}`,
  })
  const server = createServer((request, response) => void door(request, response, false))
  servers.push(server)
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return { ask: (body: string) => fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body }), incidents }
}

const echo: DoorListener = (request, response) => {
  request.pipe(response)
  return true
}

test('requests that arrive before the door is loaded load it once, and none loses its body', async () => {
  let loads = 0
  let finish: ((door: DoorListener) => void) | undefined
  const asked = Promise.withResolvers<void>()
  const { ask } = await served(() => {
    loads += 1
    asked.resolve()
    return new Promise((resolve) => (finish = resolve))
  })
  const answers = ['a', 'b', 'c'].map(ask)
  await asked.promise
  finish?.(echo)
  expect(await Promise.all(answers.map(async (answer) => (await answer).text()))).toEqual(['a', 'b', 'c'])
  expect(await (await ask('d')).text()).toBe('d')
  expect(loads).toBe(1)
})

test('a door that cannot be loaded is an incident, and the next request tries again', async () => {
  let loads = 0
  const { ask, incidents } = await served(async () => {
    loads += 1
    if (loads === 1) throw new Error('no such file')
    return echo
  })
  const failed = await ask('a')
  expect(failed.status).toBe(500)
  expect(await failed.json()).toMatchObject({ code: 'internal', about: { incident: 'incident-1' } })
  expect(incidents).toEqual([new Error('no such file')])
  expect(await (await ask('b')).text()).toBe('b')
})
