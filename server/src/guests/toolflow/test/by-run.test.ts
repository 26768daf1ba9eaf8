import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { resumeToolflow } from '../resume-toolflow.ts'
import type { ByRun } from '../../../kernel/contract/call.ts'
import { startGate } from '../../../../test/helpers/with-running-gate.ts'
import { APPROVER, effectsIn, pendingOf, withGate } from '../../../../test/helpers/with-gate.ts'
import { sendRaw } from '../../../../test/helpers/send-raw.ts'
import { approvalIn, FLOW_POLICY, note, runFlow, valueOf } from './with-flows.suite.ts'

const MADE: ByRun = { run_id: 'run_0123456789abcdef', kind: 'workflow', step: 'mail', at_least: 'allow', lane: 'local' }

test('the packet of a toolflow`s call says which run made it and in which step, also after an edit', async () => {
  await withGate(
    async (rig) => {
      const asked = await runFlow(rig, note('ask me'))
      const by_run = { run_id: asked.run_id, kind: 'toolflow', step: 'ASK', lane: null }
      const packet = valueOf(await rig.gate.approvals.read(APPROVER, approvalIn(asked)))
      expect(packet.by_run).toEqual(by_run)
      const edited = valueOf(
        await resumeToolflow(rig.ports, APPROVER, asked.run_id, {
          approval_id: approvalIn(asked),
          choice: 'Edit Inputs',
          args: { text: 'ask again' },
        }),
      )
      const again = valueOf(await rig.gate.approvals.read(APPROVER, approvalIn(edited)))
      expect(again.by_run).toEqual(by_run)
      // The edited call is judged as the run's call too.
      expect(again.risk_notes).toContainEqual(expect.objectContaining({ rule: 'toolflow.decided', effect: 'ask' }))
    },
    { policy: FLOW_POLICY },
  )
})

test('a policy reads the lane of the run that calls, also when an approver edits the call', async () => {
  const policy = `
rules:
  - { id: notes, effect: allow, match: { tool: book__note }, says: harmless }
  - { id: lane, effect: ask, match: { tool: book__note, lane: local }, says: a local model }
  - { id: strong, effect: block, when: 'has(session.lane) && session.lane == "local" && args.text == "bad"', match: { tool: book__note }, says: not locally }
`
  await withGate(
    async ({ call, gate }) => {
      expect(await call('book__note', { text: 'a' })).toMatchObject({ status: 'executed' })
      expect(await call('book__note', { text: 'b' }, { by_run: { ...MADE, lane: 'cloud' } })).toMatchObject({
        status: 'executed',
      })
      const held = pendingOf(await call('book__note', { text: 'c' }, { by_run: MADE }))
      expect(await call('book__note', { text: 'bad' }, { by_run: MADE })).toMatchObject({ status: 'refused' })
      expect(await gate.approvals.edit(APPROVER, held.approval_id, { text: 'bad' })).toMatchObject({
        problem: { code: 'call.blocked' },
      })
    },
    { policy },
  )
})

test('a call of a run is never judged less strictly than the run judged it, whatever its kind', async () => {
  await withGate(
    async ({ call }) => {
      const by_run = { ...MADE, at_least: 'block' } as const
      const outcome = await call('book__note', { text: 'x' }, { by_run })
      expect(outcome).toMatchObject({ status: 'refused', problem: { code: 'call.blocked' } })
      expect(outcome).toHaveProperty('evidence')
      const evidence = 'evidence' in outcome ? outcome.evidence : []
      expect(evidence).toContainEqual(expect.objectContaining({ decider: 'workflow', rule: 'workflow.decided' }))
    },
    { policy: FLOW_POLICY },
  )
})

test('no door lets a caller claim that a run made its call', async () => {
  const gate = await startGate()
  try {
    const key = await gate.key('user', 'ana')
    for (const field of ['by_run', 'toolflow', 'for_run']) {
      const forged = { [field]: field === 'for_run' ? MADE.run_id : MADE }
      for (const [path, body] of [
        ['/v1/calls', { tool: 'book__look', args: {} }],
        ['/v1/toolflow', { user_prompt: 'look' }],
      ] as const)
        expect(await gate.http('POST', path, key, { ...body, ...forged })).toMatchObject({
          status: 400,
          body: { code: 'request.invalid' },
        })
      const params = { name: 'book__look', arguments: {}, ...forged, _meta: forged }
      await sendRaw(gate, key, { body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params } })
    }
    const db = new DatabaseSync(join(gate.folder, '.sluice/ledger.sqlite'), { readOnly: true })
    const rows = db.prepare('SELECT body FROM calls').all()
    db.close()
    expect(rows.length).toBeGreaterThan(0)
    for (const { body } of rows) expect(String(body)).not.toMatch(/by_run|for_run|"toolflow"/)
    expect(effectsIn(gate.folder).filter((line) => !line.startsWith('look'))).toEqual([])
  } finally {
    await gate.stop()
  }
})
