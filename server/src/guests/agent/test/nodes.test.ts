import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { gateOf } from '../../../../test/helpers/use-gate.ts'
import { readThread } from '../read-threads.ts'
import { runAgent } from '../run-agent.ts'
import { driveGate } from '../../../main/drive-gate.ts'
import { openPorts, type OpenedPorts } from '../../../main/open-ports.ts'
import { recoverFromDead } from '../../../main/open-gate.ts'
import type { Ports } from '../../../kernel/ports/guest-ports.ts'
import { announceCommits } from '../../../kernel/changes/watch-rows.ts'
import { followThread, type FollowedEvent } from '../follow-thread.ts'
import { AgentBody } from '../agent.ts'
import { localMembers } from '../../../adapters/stores/local-notices.ts'
import { joinStore } from '../../../adapters/stores/open-store.ts'
import { APPROVER, effectsIn, settingsIn, until, USER } from '../../../../test/helpers/with-gate.ts'
import { valueOf } from '../../toolflow/test/with-flows.suite.ts'
import { following, startModelServer, type ModelServer } from './model-server.suite.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-agent-nodes-'))
const hub = localMembers()
let model: ModelServer
let opened: OpenedPorts
beforeAll(async () => {
  model = await startModelServer()
  const agent = { provider: 'openai-compatible', url: `${model.url}/v1`, model: 'test' }
  const settings = settingsIn(folder, { config: { models: { agent } } })
  const ports = await openPorts(settings, { log: () => {}, url: () => 'http://gate.test' }, true)
  if (!ports.ok) throw new Error(JSON.stringify(ports.problem))
  opened = ports.value
  await opened.settled
})
afterAll(async () => {
  await opened.close()
  await model.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Another gate on the same store, which learns about the others only through notices. */
async function node() {
  const joined = await joinStore({ folder: join(folder, 'data') })
  if (!joined.ok) throw new Error(JSON.stringify(joined.problem))
  const { liveness, leave } = joined.value
  const notices = hub.join()
  const ledger = announceCommits(opened.ports.ledger, {
    notices,
    kinds: opened.ports.kinds,
    tableEntries: opened.ports.tableEntries,
  })
  const own: Ports = { ...opened.ports, ledger, notices, liveness, boot: liveness.boot }
  const { ports, scheduler } = driveGate(own, () => {})
  return { gate: gateOf({ ports }), scheduler, ports, leave }
}

test('a waiting thread continues on another node after its own node has stopped, with the same events', async () => {
  const [first, second] = [await node(), await node()]
  model.say = following(['write a note'], [{ tool: 'book__note', args: { text: 'elsewhere' } }], 'It is written.')
  const answer = valueOf(await runAgent(first.ports, USER, AgentBody.parse({ message: 'please write the note' })))
  expect(answer.status).toBe('awaiting_approval')
  const before = await eventsOf(first.gate, answer.run_id)
  await first.scheduler.stop()
  await first.leave()
  const recovery = await recoverFromDead(second.ports, second.scheduler, () => {})
  const { approval_id } = valueOf(await readThread(second.ports, USER, answer.run_id))
  const { digest } = valueOf(await second.gate.approvals.read(APPROVER, approval_id ?? ''))
  valueOf(await second.gate.approvals.decide(APPROVER, approval_id ?? '', { says: 'approve', digest }))
  await until(async () => valueOf(await readThread(second.ports, USER, answer.run_id)).status === 'completed')
  expect(effectsIn(folder).filter((line) => line.startsWith('note '))).toHaveLength(1)
  const rest = await eventsOf(second.gate, answer.run_id, before.at(-1)?.id)
  expect([...before, ...rest]).toEqual(await eventsOf(second.gate, answer.run_id))
  expect(rest.at(-1)).toMatchObject({ event: 'final', data: { response: 'It is written.' } })
  await recovery.stop()
  await second.scheduler.stop()
  await second.leave()
})

type Gate = Awaited<ReturnType<typeof node>>['gate']

async function eventsOf(gate: Gate, run_id: string, from?: string): Promise<FollowedEvent[]> {
  const events: FollowedEvent[] = []
  const stop = valueOf(
    await followThread(gate.ports, USER, run_id, from, { onEvent: (event) => void events.push(event), onEnd() {} }),
  )
  stop()
  return events.filter(({ id }) => id !== undefined)
}
