import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { listWorkflowRuns } from '../read-documents.ts'
import type { GateOptions } from '../../../main/gate-options.ts'
import { until } from '../../../../test/helpers/with-gate.ts'
import { valueOf } from '../../toolflow/test/with-flows.suite.ts'
import { openWorkflows, type WorkflowRig } from './with-workflows.suite.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })
const HOUR = 3_600_000
const folder = mkdtempSync(join(tmpdir(), 'sluice-schedules-'))
let rig: WorkflowRig

const clock = (schedule: string, words = 'tick') => `apiVersion: gosuto/v1
metadata: { name: clock }
trust: { allowedRooms: ["!none:test"], allowedSenders: ["@nobody:test"] }
capabilities: [{ name: book, mcp: book, tool: "*", allow: true }]
gateways:
  - { name: bell, type: cron, config: { schedule: "${schedule}", timezone: Europe/Zurich, message: "${words}", data: { n: 1 } } }
workflow:
  protocols:
    - id: bell.v1
      trigger: { type: gateway.event }
      steps: [{ type: tool, tool: book__note_again, argsTemplate: { text: "{{input.payload.message}} {{input.ts}} {{input.payload.data.n}}" } }]
`
const ticks = (words: string) => rig.effects().filter((line) => line.includes(`"${words} `))

/** Another process, this much later. */
async function later(hours: number): Promise<void> {
  await rig.close()
  vi.setSystemTime(Date.now() + hours * HOUR)
  rig = await openWorkflows(folder)
}
/** Every run of the document has ended: whatever was due has happened. */
const quiet = () =>
  until(async () => {
    const runs = valueOf(await listWorkflowRuns(rig.ports, 'clock', { limit: 100 })).items
    return runs.every(({ ended_at }) => ended_at !== undefined)
  })

beforeAll(async () => {
  // Seven in the morning in Zurich.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 16, 6) })
  rig = await openWorkflows(folder)
})
afterAll(async () => {
  await rig.close()
  vi.useRealTimers()
  rmSync(folder, { recursive: true, force: true })
})

test('a schedule fires at its time in its zone, and not before', async () => {
  await rig.apply(clock('0 9 * * *'))
  await later(1.9)
  await quiet()
  expect(ticks('tick')).toEqual([])
  await later(0.1)
  await until(() => ticks('tick').length === 1)
  expect(ticks('tick')[0]).toContain('tick 2026-11-16T08:00:00.000Z 1')
})

test('times missed while the gate was down fire once, and the next time fires normally', async () => {
  await later(5 * 24 + 3)
  await until(() => ticks('tick').length === 2)
  await later(0.1)
  await quiet()
  expect(ticks('tick')).toHaveLength(2)
  // The day after at nine.
  await later(20.9)
  await until(() => ticks('tick').length === 3)
  expect(ticks('tick')[2]).toContain('tick 2026-11-22T08:00:00.000Z 1')
})

test('a new version replaces the old one: only its schedule fires', async () => {
  await rig.apply(clock('0 9 * * *', 'tock'))
  await later(24)
  await until(() => ticks('tock').length === 1)
  await later(24)
  await until(() => ticks('tock').length === 2)
  expect(ticks('tick')).toHaveLength(3)
})

test('a time that has fired does not fire again if the clock was set back, or on a node whose clock is behind', async () => {
  await rig.apply(clock('0 * * * *', 'chime'))
  const hour = (Math.floor(Date.now() / HOUR) + 1) * HOUR
  await rig.close()
  vi.setSystemTime(hour + 300)
  // The node that fires was ahead; the one that computes the next time is behind.
  const around: GateOptions['around'] = {
    perform: (kind, inner) => (effect, performing) => {
      if (kind === 'workflow_fire') vi.setSystemTime(hour - 2_000)
      return inner(effect, performing)
    },
  }
  rig = await openWorkflows(folder, { around })
  await until(() => ticks('chime').length === 1)
  expect(ticks('chime')[0]).toContain(`chime ${new Date(hour).toISOString()} 1`)
  await quiet()
  await rig.close()
  vi.setSystemTime(hour + 500)
  rig = await openWorkflows(folder)
  await quiet()
  expect(ticks('chime')).toHaveLength(1)
  await later(1)
  await until(() => ticks('chime').length === 2)
})
