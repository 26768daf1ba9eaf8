import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import {
  ADMIN,
  AGENT,
  APPROVER,
  effectsIn,
  until,
  USER,
  withGate,
  type GateRig,
} from '../../../../test/helpers/with-gate.ts'
import { resumeToolflow } from '../resume-toolflow.ts'
import { readToolflow } from '../read-toolflow.ts'
import type { ToolflowView } from '../toolflow.ts'
import { approvalIn, FLOW_POLICY, note, runFlow, shownIn, valueOf } from './with-flows.suite.ts'

const viewOf = async ({ gate }: GateRig, run_id: string) => valueOf(await readToolflow(gate.ports, USER, run_id))

test('an answer that comes after the request expired changes nothing: the flow has ended in a block', async () => {
  await withGate(
    async (rig) => {
      const asked = await runFlow(rig, note('ask late'))
      await until(async () => (await viewOf(rig, asked.run_id)).status === 'BLOCK')
      expect((await viewOf(rig, asked.run_id)).block_card?.reason).toContain('[approval.expired]')
      for (const choice of ['Approve & Execute', 'Cancel', 'Edit Inputs'] as const) {
        const args = choice === 'Edit Inputs' ? { args: { text: 'late' } } : {}
        const answer = { approval_id: approvalIn(asked), choice, ...args }
        expect(await resumeToolflow(rig.ports, APPROVER, asked.run_id, answer)).toMatchObject({
          problem: { code: 'approval.expired' },
        })
      }
      expect(effectsIn(rig.folder)).toEqual([])
    },
    { policy: FLOW_POLICY, config: { approvals: { expires_s: 1 } } },
  )
})

test('a request is edited once, by somebody who may decide: after that only the new packet runs the tool', async () => {
  await withGate(
    async (rig) => {
      const asked = await runFlow(rig, note('ask first'))
      const edit = (text: string) => ({
        approval_id: approvalIn(asked),
        choice: 'Edit Inputs' as const,
        args: { text },
      })
      for (const caller of [AGENT, USER])
        expect(await resumeToolflow(rig.ports, caller, asked.run_id, edit('stolen'))).toMatchObject({
          problem: { code: 'auth.forbidden' },
        })
      const edits = await Promise.all([
        resumeToolflow(rig.ports, APPROVER, asked.run_id, edit('ask one')),
        resumeToolflow(rig.ports, APPROVER, asked.run_id, edit('ask other')),
      ])
      expect(edits.filter(({ ok }) => ok)).toHaveLength(1)
      const old = { approval_id: approvalIn(asked), choice: 'Approve & Execute' } as const
      expect(await resumeToolflow(rig.ports, APPROVER, asked.run_id, old)).toMatchObject({ ok: false })
      const fresh = { ...shownIn(await viewOf(rig, asked.run_id)), choice: 'Approve & Execute' } as const
      expect(valueOf(await resumeToolflow(rig.ports, APPROVER, asked.run_id, fresh))).toMatchObject({ status: 'OK' })
      expect(effectsIn(rig.folder)).toHaveLength(1)
      expect(effectsIn(rig.folder)[0]).toMatch(/^note \{"text":"ask (one|other)"\}$/)
    },
    { policy: FLOW_POLICY },
  )
})

test('an approval of a tool that has changed since does not approve its new definition', async () => {
  const server = {
    command: process.execPath,
    args: [resolve(import.meta.dirname, '../../../../test/tool-servers/changing.ts')],
    tools: { become: { effects: ['read'] } },
  }
  const policy = `
rules:
  - { id: agents, effect: allow, match: { role: agent }, says: all }
  - { id: people, effect: ask, match: { role: user }, says: a person decides }
`
  await withGate(
    async (rig) => {
      const hash = () => rig.gate.catalogue.tool(ADMIN, 'mail__become')?.row.definition_hash
      const before = hash()
      const asked = await runFlow(rig, { user_prompt: 'x', skill_id: 'mail__become', args: { tools: [] } })
      const changed = { name: 'become', description: 'something else entirely' }
      expect(await rig.call('mail__become', { tools: [changed] })).toMatchObject({ status: 'executed' })
      await until(() => hash() !== before)
      const resume = (view: ToolflowView) =>
        resumeToolflow(rig.ports, APPROVER, asked.run_id, { ...shownIn(view), choice: 'Approve & Execute' })
      expect(await resume(asked)).toMatchObject({ problem: { code: 'approval.changed' } })
      // Neither does an approval of the request as it looks now.
      const { status, block_card } = valueOf(await resume(await viewOf(rig, asked.run_id)))
      expect([status, block_card?.reason]).toEqual(['BLOCK', expect.stringContaining('changed after')])
      expect(rig.gate.catalogue.tool(ADMIN, 'mail__become')?.row.gone_at).toBeUndefined()
    },
    { policy, config: { servers: { mail: server } } },
  )
})
