/**
 * Each starter flow, worked to `done`: an agent executes the automatable steps under a consent of its own person, the person advances
 * what is done by hand, and a reviewer evaluates and approves what needs a human review. Every result is fetched and hashed again.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withGate } from '../with-gate.ts'

const here = import.meta.dirname
const config = `
  checks:
    commands:
      check_note:
        description: Check that a release note has text.
        run: [grep, -c, .]
        stdin: '{text}'
        params: { text: { description: the release note } }
        effects: [read]
      count_words:
        description: Count the words of a text.
        run: [wc, -w]
        stdin: '{text}'
        params: { text: { description: any text } }
        effects: [read]
models: { script: ./script.yaml }
flows:
  skill_packs:
    mailbox: [outbox__list_messages]
    mail_out: [outbox__send_message]
`

type Answer = { readonly status: number; readonly body: Record<string, unknown> }
type Step = { readonly step_id: string; readonly automatable: string; readonly verification: { readonly kind: string } }
type Run = { readonly run_id: string; readonly status: string }

await withGate(
  async (gate) => {
    const as =
      (key: string) =>
      async (method: string, path: string, body?: object): Promise<Answer> => {
        const answer = await fetch(`${gate.url}${path}`, {
          method,
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        })
        return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
      }
    const keyFor = (...words: readonly string[]) => gate.cli('keys', 'create', ...words).trim()
    // Ana may decide approvals, so her consent also covers calls that the policy would ask about.
    const ana = as(keyFor('approver', 'ana-flows', '--user', 'ana', '--flow-role', 'admin'))
    const agent = as(keyFor('agent', 'writer', '--user', 'ana', '--flow-role', 'admin'))
    const reviewer = as(keyFor('reviewer', 'ben', '--flow-role', 'admin'))

    for (const file of readdirSync(here).filter((name) => name.endsWith('.yaml') && name !== 'script.yaml')) {
      gate.cli('flow', 'import', join(here, file))
    }
    const listed = (await ana('GET', '/api/v1/flows')).body['flows'] as readonly { readonly flow_id: string }[]
    assert.equal(listed.length, 6)
    for (const { flow_id } of listed) {
      const steps = (await ana('GET', `/api/v1/flows/${flow_id}`)).body['steps'] as readonly Step[]
      const { run_id } = (await agent('POST', '/api/v1/flows/runs', { flow_id })).body['run'] as Run
      const run = `/api/v1/flows/runs/${run_id}`
      const minted = await ana('POST', `${run}/consents`, { allowed_lanes: ['local_default'], cost_cap_units: 20 })
      const { consent_id } = minted.body['consent'] as { readonly consent_id: string }
      for (const { step_id, automatable, verification } of steps) {
        if (automatable === 'automatable') await execute(step_id, consent_id, run)
        if (verification.kind === 'human_review') await review(run)
        const done = await ana('POST', `${run}/advance`, { step_id, status: 'done' })
        assert.equal(done.status, 200, JSON.stringify(done.body))
      }
      const { run: ended } = (await ana('GET', run)).body as { readonly run: Run }
      assert.equal(ended.status, 'done')
      if (flow_id === 'flow_weekly_summary') console.log(gate.cli('flow', 'get', run_id).trimEnd())
      console.log(`${flow_id} is done`)
    }
    assert.equal(gate.sent().length, 3)
    assert.equal((await ana('GET', '/v1/audit/verify')).body['ok'], true)
    console.log('the audit verifies')

    async function execute(step_id: string, consent_id: string, run: string): Promise<void> {
      const executed = await agent('POST', `${run}/execute`, { step_id, consent_id })
      const { status, evidence_ref } = executed.body['execution'] as { status: string; evidence_ref: string }
      assert.equal(status, 'completed', JSON.stringify(executed.body))
      const digest = evidence_ref.replace('artifact://', '')
      const { text } = (await agent('GET', `/v1/artifacts/${digest}`)).body as { readonly text: string }
      assert.equal(createHash('sha256').update(text).digest('hex'), digest)
    }

    async function review(run: string): Promise<void> {
      const submitted = await agent('POST', `${run}/review`, { intent: 'please check the result of this step' })
      const proposal = `/v1/proposals/${String(submitted.body['proposal_id'])}`
      // The agent belongs to Ana, so she is the proposer and cannot approve it.
      assert.equal((await ana('POST', `${proposal}/decide`, { decision: 'approve' })).body['code'], 'proposal.own')
      const early = await reviewer('POST', `${proposal}/decide`, { decision: 'approve' })
      assert.equal(early.body['code'], 'EVALUATION_REQUIRED')
      await reviewer('POST', `${proposal}/evaluate`, { answers: { checkable: true, in_job: true, unknowns: true } })
      const decided = await reviewer('POST', `${proposal}/decide`, { decision: 'approve' })
      assert.equal(decided.body['state'], 'approved', JSON.stringify(decided.body))
    }
  },
  {
    config,
    prepare(folder) {
      copyFileSync(join(here, 'script.yaml'), join(folder, 'script.yaml'))
      mkdirSync(join(folder, '.sluice'), { mode: 0o700 })
      const policy = { flow_run_writes_enabled: true, execution: { automatable_enabled: true } }
      writeFileSync(join(folder, '.sluice', 'hub_flow_execution_policy.json'), JSON.stringify(policy))
    },
  },
)
