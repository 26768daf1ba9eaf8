import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readThread } from '../../src/guests/agent/read-threads.ts'
import { runAgent } from '../../src/guests/agent/run-agent.ts'
import type { Perform } from '../../src/kernel/runs/performer.ts'
import type { Gate } from '../helpers/use-gate.ts'
import { AgentBody } from '../../src/guests/agent/agent.ts'
import { isJsonObject } from '../../src/kernel/contract/json.ts'
import { ADMIN, APPROVER, approveShown, openTestGate, until, USER } from '../helpers/with-gate.ts'
import { valueOf } from '../../src/guests/toolflow/test/with-flows.suite.ts'
import { clerk, FILE } from '../../src/guests/workflows/test/clerk.suite.ts'
import { openWorkflows } from '../../src/guests/workflows/test/with-workflows.suite.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-late-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/**
 * The performer of a held call is slow to answer: meanwhile a person approves the call, it runs, and the run reads that it has ended.
 * Only then does the performer say that the call is held.
 */
const slowToAnswer =
  (slow: string, gate: () => Gate) =>
  (kind: string, inner: Perform): Perform =>
    kind !== slow
      ? inner
      : async (effect, performing) => {
          const found = await inner(effect, performing)
          if (found === 'later' || !isJsonObject(found['call'])) return found
          const { call_id, approval_id } = found['call']
          if (typeof call_id !== 'string' || typeof approval_id !== 'string') return found
          expect(await approveShown(gate(), APPROVER, approval_id)).toMatchObject({ ok: true })
          await gate().calls.read(ADMIN, call_id, 30_000)
          const isReported = async () => {
            const run = valueOf(await gate().runs.read(ADMIN, performing.run_id, { limit: 100 }))
            return run.events.some(({ type }) => type === 'call.ended')
          }
          await until(isReported)
          // The event has woken the driver, which reads it within this time.
          await new Promise((resolve) => setTimeout(resolve, 100))
          return found
        }

test('a workflow continues if its held call ended before its performer answered', async () => {
  const place = join(folder, 'workflow')
  const perform = slowToAnswer('workflow_tool', () => rig.gate)
  const rig = await openWorkflows(place, { around: { perform } })
  try {
    await rig.apply(clerk('- type: tool\n  tool: book__note\n  argsTemplate: { text: "held" }'))
    expect(await rig.ended(await rig.say(FILE()))).toMatchObject({ status: 'done' })
    expect(rig.effects()).toHaveLength(1)
  } finally {
    await rig.close()
  }
})

test('a thread of the agent continues if its held call ended before its performer answered', async () => {
  const place = mkdtempSync(join(folder, 'agent-'))
  const script = join(place, 'script.yaml')
  const rule = {
    when: '^note (\\S+)$',
    plan: ['write a note'],
    calls: [{ tool: 'book__note', args: { text: '{{1}}' } }],
    answer: 'It is noted.',
  }
  writeFileSync(script, JSON.stringify({ rules: [rule] }))
  const perform = slowToAnswer('agent_call', () => rig.gate)
  const rig = await openTestGate(place, { config: { models: { script } }, around: { perform } })
  try {
    const { run_id } = valueOf(await runAgent(rig.ports, USER, AgentBody.parse({ message: 'note held' }), {}))
    await until(async () => valueOf(await readThread(rig.ports, USER, run_id)).status === 'completed')
    expect(rig.effects()).toHaveLength(1)
  } finally {
    await rig.opened.close()
  }
})
