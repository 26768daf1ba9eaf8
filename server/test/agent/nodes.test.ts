import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { driveWorld } from '../../src/boot/drive-world.ts'
import { openWorld, type OpenedWorld } from '../../src/boot/open-world.ts'
import { recoverFromDead } from '../../src/boot/recover-from-dead.ts'
import type { World } from '../../src/boot/world.ts'
import { announceCommits } from '../../src/commands/changes/watch-rows.ts'
import type { FollowedEvent } from '../../src/commands/agent/follow-thread.ts'
import { AgentBody } from '../../src/contract/agent.ts'
import { localNodes } from '../../src/stores/local-notices.ts'
import { joinStore } from '../../src/stores/open-store.ts'
import { APPROVER, effectsIn, settingsIn, until, USER } from '../gate/with-gate.ts'
import { valueOf } from '../toolflow/with-flows.ts'
import { following, startModelServer, type ModelServer } from './model-server.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-agent-nodes-'))
const hub = localNodes()
let model: ModelServer
let opened: OpenedWorld
beforeAll(async () => {
  model = await startModelServer()
  const agent = { provider: 'openai-compatible', url: `${model.url}/v1`, model: 'test' }
  const settings = settingsIn(folder, { config: { models: { agent } } })
  const world = await openWorld(settings, { log: () => {}, url: () => 'http://gate.test' }, true)
  if (!world.ok) throw new Error(JSON.stringify(world.problem))
  opened = world.value
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
  const ledger = announceCommits(opened.world.ledger, notices)
  const world: World = { ...opened.world, ledger, notices, liveness, boot: liveness.boot }
  const { gate, scheduler } = driveWorld(world, () => {})
  return { gate, scheduler, world, leave }
}

test('a waiting thread continues on another node after its own node has stopped, with the same events', async () => {
  const [first, second] = [await node(), await node()]
  model.say = following(['write a note'], [{ tool: 'book__note', args: { text: 'elsewhere' } }], 'It is written.')
  const answer = valueOf(await first.gate.agent.run(USER, AgentBody.parse({ message: 'please write the note' })))
  expect(answer.status).toBe('awaiting_approval')
  const before = await heard(first.gate, answer.run_id)
  await first.scheduler.stop()
  await first.leave()
  const recovery = await recoverFromDead(second.world, second.scheduler, () => {})
  const { approval_id } = valueOf(await second.gate.agent.read(USER, answer.run_id))
  const { digest } = valueOf(await second.gate.approvals.read(APPROVER, approval_id ?? ''))
  valueOf(await second.gate.approvals.decide(APPROVER, approval_id ?? '', { says: 'approve', digest }))
  await until(async () => valueOf(await second.gate.agent.read(USER, answer.run_id)).status === 'completed')
  expect(effectsIn(folder).filter((line) => line.startsWith('note '))).toHaveLength(1)
  const rest = await heard(second.gate, answer.run_id, before.at(-1)?.id)
  expect([...before, ...rest]).toEqual(await heard(second.gate, answer.run_id))
  expect(rest.at(-1)).toMatchObject({ event: 'final', data: { response: 'It is written.' } })
  await recovery.stop()
  await second.scheduler.stop()
  await second.leave()
})

type Gate = Awaited<ReturnType<typeof node>>['gate']

async function heard(gate: Gate, run_id: string, from?: string): Promise<FollowedEvent[]> {
  const events: FollowedEvent[] = []
  const stop = valueOf(
    await gate.agent.follow(USER, run_id, from, { onEvent: (event) => void events.push(event), onEnd() {} }),
  )
  stop()
  return events.filter(({ id }) => id !== undefined)
}
