import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { diffVersions, listVersions } from '../read-documents.ts'
import { applyDocument, rollBack } from '../apply-document.ts'
import { listCalls } from '../../activity/endpoints.ts'
import { startModelServer, type ModelServer } from '../../agent/test/model-server.suite.ts'
import { ADMIN, AGENT, APPROVER } from '../../../../test/helpers/with-gate.ts'
import { valueOf } from '../../toolflow/test/with-flows.suite.ts'
import { clerk, FILE } from './clerk.suite.ts'
import { openWorkflows, type WorkflowRig } from './with-workflows.suite.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-workflows-'))
let model: ModelServer
let rig: WorkflowRig

beforeAll(async () => {
  model = await startModelServer()
  process.env['CLERK_TOKEN'] = 'whispered-value-4711'
  rig = await openWorkflows(folder, {
    config: {
      models: {
        agent: { provider: 'openai-compatible', url: `${model.url}/v1`, model: 'test', price: { input: 1, output: 1 } },
      },
    },
  })
})
afterAll(async () => {
  await rig.close()
  await model.close()
  rmSync(folder, { recursive: true, force: true })
})

const NOTE = (text: string) =>
  `- type: tool\n  tool: book__note_again\n  argsTemplate: { text: ${JSON.stringify(text)} }`

async function auditOf(trace: string) {
  return (await rig.gate.audit.page(undefined, 1, 100_000)).filter((entry) => entry.trace === trace)
}

describe('a run', () => {
  test('goes through its steps, calls tools through the gate and sends a message', async () => {
    await rig.apply(
      clerk(`
- id: all
  type: for_each
  itemsExpr: "{{input.titles}}"
  itemVar: title
  steps:
    - type: tool
      tool: mcp.book.note_again
      argsTemplate: { text: "filed {{title}} of {{input.run_id}}" }
- type: collect
  collectFrom: "{{steps.step_0}}"
- type: send_message
  targetAlias: boss
  payloadTemplate: "CLERK_DONE {{output | json}} {{input.titles}}"
- type: persist
  key: last.run
  value: { id: "{{input.run_id}}", titles: "{{input.titles}}" }
- type: tool
  tool: book__note_again
  argsTemplate: { text: "stored {{store.last.run.id}} {{store.last.run}}" }
`),
    )
    const view = await rig.ended(await rig.say(FILE({ run_id: 7, titles: ['one', 'two'] })))
    expect(view).toMatchObject({ status: 'done', document: 'clerk', protocol: 'clerk.file.v1' })
    expect(view.steps.map(({ status }) => status)).toEqual(['done', 'done', 'done', 'done', 'done', 'done'])
    const lines = rig.effects().filter((line) => line.includes('filed') || line.includes('stored'))
    expect(lines.map((line) => /(filed|stored).*/.exec(line)?.[0])).toEqual([
      expect.stringContaining('filed one of 7'),
      expect.stringContaining('filed two of 7'),
      expect.stringContaining(JSON.stringify('stored 7 {"id":7,"titles":["one","two"]}').slice(1, -1)),
    ])
    expect(rig.transport.sent.at(-1)).toMatchObject({ agent: 'clerk', room: '!office:test' })
    expect(rig.transport.sent.at(-1)?.text).toMatch(/^CLERK_DONE \[.*\] \["one","two"\]$/)
    const types = (await auditOf(view.trace)).map(({ type }) => type)
    for (const type of [
      'workflow.started',
      'workflow.validated',
      'call.started',
      'call.executed',
      'workflow.stepped',
      'workflow.ended',
    ])
      expect(types).toContain(type)
  })

  test('reports errors back to the model, and then fails before anything else happens', async () => {
    await rig.apply(
      clerk(
        `- type: summarize\n  prompt: Say it\n  outputSchemaRef: summary\n  retries: 2\n${NOTE('after the model')}`,
      ),
    )
    model.asked.length = 0
    const answers = ['no JSON at all', '{"txt": 1}', '```json\n{"text":"fine"}\n```']
    model.say = () => ({ text: answers[model.asked.length - 1] ?? '' })
    expect(await rig.ended(await rig.say(FILE()))).toMatchObject({ status: 'done', usage: { model_calls: 3 } })
    expect(model.asked[2]?.messages.at(-1)?.text).toMatch(/refused: .*must have `text`/)
    model.say = () => ({ text: 'never JSON' })
    const failed = await rig.ended(await rig.say(FILE({ run_id: 2, titles: ['x'] })))
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'retries_exhausted', step: '0' } })
    expect(rig.effects().filter((line) => line.includes('after the model'))).toHaveLength(1)
  })

  test('waits for an approval, and fails if it is denied', async () => {
    await rig.apply(
      clerk(
        `- type: tool\n  tool: book__note\n  argsTemplate: { text: "held {{input.run_id}}" }\n${NOTE('went on {{input.run_id}}')}`,
      ),
    )
    const decide = async (run_id: string, says: 'approve' | 'deny') => {
      const { waits_for = '' } = await rig.rested(run_id)
      const approval_id = waits_for.replace('approval ', '')
      const { digest } = valueOf(await rig.gate.approvals.read(APPROVER, approval_id))
      valueOf(await rig.gate.approvals.decide(APPROVER, approval_id, says === 'approve' ? { says, digest } : { says }))
      return rig.ended(run_id)
    }
    const run = await rig.say(FILE({ run_id: 21, titles: ['x'] }))
    expect(await rig.rested(run)).toMatchObject({
      status: 'waiting',
      waits_for: expect.stringMatching(/^approval auth_/),
    })
    expect(await decide(run, 'approve')).toMatchObject({ status: 'done' })
    expect(await decide(await rig.say(FILE({ run_id: 22, titles: ['x'] })), 'deny')).toMatchObject({
      status: 'failed',
      error: { code: 'approval_denied' },
    })
    const lines = rig.effects().filter((line) => /(?:held|went on) 2[12]/.test(line))
    expect(lines).toHaveLength(2)
  })

  test('is denied what the document does not allow, even if the policy allows it', async () => {
    await rig.apply(clerk(`- type: tool\n  tool: book__wipe\n  argsTemplate: { text: x }`))
    expect(await rig.ended(await rig.say(FILE({ run_id: 31, titles: ['x'] })))).toMatchObject({
      status: 'failed',
      error: { code: 'policy_denied' },
    })
  })

  test('never expands templates in text from outside', async () => {
    await rig.apply(
      clerk(
        `${NOTE('{{input.evil}}')}\n- type: persist\n  key: evil\n  value: "{{input.evil}}"\n${NOTE('again {{store.evil}}')}\n- type: tool\n  tool: book__note_again\n  argsTemplate: { text: "{{secret:token}}" }`,
        {
          head: 'secrets: [{ name: token, envVar: CLERK_TOKEN }]',
        },
      ),
    )
    const evil = '{{state.x}} {{secret:token}} {{input.run_id}}'
    const view = await rig.ended(await rig.say(FILE({ run_id: 41, titles: ['x'], evil })))
    expect(view).toMatchObject({ status: 'done' })
    const lines = rig.effects()
    expect(lines.filter((line) => line.includes('{{state.x}} {{secret:token}} {{input.run_id}}'))).toHaveLength(2)
    // The document's own secret is sent, and is nowhere in the gate.
    expect(lines.filter((line) => line.includes('whispered-value-4711'))).toHaveLength(1)
    const calls = await listCalls(rig.ports, ADMIN, {}, { limit: 50 })
    expect(JSON.stringify(calls)).not.toContain('whispered-value-4711')
    expect(JSON.stringify(view)).not.toContain('whispered-value-4711')
    expect(JSON.stringify(await auditOf(view.trace))).not.toContain('whispered')
  })

  test('a secret named by somebody else stays plain text, and only a document can name one', async () => {
    const refused = await rig.gate.calls.dispatch({
      caller: AGENT,
      tool: 'book__note_again',
      args: { text: '{{secret:token}}', 'sluice/secrets': { '/text': 'token' } },
    })
    expect(refused).toMatchObject({ status: 'refused', problem: { code: 'call.args_invalid' } })
    await rig.apply(
      clerk(`- type: tool\n  tool: book__note_again\n  argsTemplate: "{{input.args}}"`, {
        head: 'secrets: [{ name: token, envVar: CLERK_TOKEN }]',
      }),
    )
    const args = { text: '{{secret:token}}', 'sluice/secrets': { '/text': 'token' } }
    expect(await rig.ended(await rig.say(FILE({ run_id: 42, titles: ['x'], args })))).toMatchObject({
      status: 'failed',
      error: { code: 'template_unresolved' },
    })
  })

  test('stops before a step whose template has no value', async () => {
    await rig.apply(clerk(`${NOTE('first {{input.run_id}}')}\n${NOTE('second {{input.nothing}}')}`))
    expect(await rig.ended(await rig.say(FILE({ run_id: 51, titles: ['x'] })))).toMatchObject({
      status: 'failed',
      error: { code: 'template_unresolved', step: '1' },
    })
    expect(rig.effects().some((line) => line.includes('second'))).toBe(false)
  })

  test('fails with an error if there are too many items, and is never cut silently', async () => {
    await rig.apply(
      clerk(
        `- type: for_each\n  itemsExpr: input.titles\n  maxIterations: 2\n  steps:\n    - type: tool\n      tool: book__note_again\n      argsTemplate: { text: "cut {{item}}" }`,
      ),
    )
    expect(await rig.ended(await rig.say(FILE({ run_id: 61, titles: ['a', 'b', 'c'] })))).toMatchObject({
      status: 'failed',
      error: { code: 'limit_exceeded' },
    })
    expect(rig.effects().some((line) => line.includes('cut'))).toBe(false)
  })

  test('keeps the version it started with', async () => {
    const one = await rig.apply(
      clerk(`- type: tool\n  tool: book__note\n  argsTemplate: { text: "old" }\n${NOTE('old version')}`),
    )
    const run = await rig.say(FILE({ run_id: 71, titles: ['x'] }))
    const { waits_for = '' } = await rig.rested(run)
    expect(await rig.apply(clerk(NOTE('new version')))).toBe(one + 1)
    const approval_id = waits_for.replace('approval ', '')
    const { digest } = valueOf(await rig.gate.approvals.read(APPROVER, approval_id))
    valueOf(await rig.gate.approvals.decide(APPROVER, approval_id, { says: 'approve', digest }))
    expect(await rig.ended(run)).toMatchObject({ status: 'done', version: one })
    expect(rig.effects().filter((line) => line.includes('old version'))).toHaveLength(1)
  })

  test('is cancelled while it waits: its call is withdrawn', async () => {
    await rig.apply(clerk(`- type: tool\n  tool: book__note\n  argsTemplate: { text: "never" }`))
    const run = await rig.say(FILE({ run_id: 81, titles: ['x'] }))
    await rig.rested(run)
    valueOf(await rig.gate.runs.cancel(ADMIN, run))
    expect(await rig.ended(run)).toMatchObject({ status: 'cancelled' })
    expect(rig.effects().some((line) => line.includes('never'))).toBe(false)
  })
})

describe('a message', () => {
  const refusedBy = async (text: string, more: { sender?: string; room?: string; directed?: boolean } = {}) => {
    const taken = await rig.transport.say({ agent: 'clerk', room: '!office:test', sender: '@boss:test', text, ...more })
    return taken === 'later' ? taken : taken[0]
  }

  test('is checked for room, sender, prefix, peer, payload and schema, in this order, and each rejection is recorded', async () => {
    await rig.apply(clerk(NOTE('x')))
    expect(await refusedBy(FILE(), { room: '!away:test' })).toMatchObject({
      is: 'refused',
      code: 'trust_mismatch',
      says: 'the room is not allowed',
    })
    expect(await refusedBy('OTHER_THING {"a":1}')).toMatchObject({ is: 'refused', code: 'invalid_protocol_message' })
    expect(await refusedBy('CLERK_FILER {"a":1}')).toMatchObject({ is: 'refused', code: 'invalid_protocol_message' })
    expect(await refusedBy('CLERK_FILE', {})).toMatchObject({ is: 'refused', code: 'invalid_protocol_message' })
    expect(await refusedBy('CLERK_FILE [1]')).toMatchObject({ is: 'refused', code: 'invalid_protocol_message' })
    expect(await refusedBy('CLERK_FILE {"a":1} {"b":2}')).toMatchObject({
      is: 'refused',
      code: 'invalid_protocol_message',
    })
    expect(await refusedBy('CLERK_FILE {"run_id":0,"titles":["x"]}')).toMatchObject({
      is: 'refused',
      code: 'schema_validation',
    })
    expect(await refusedBy('good morning', { directed: true })).toMatchObject({ is: 'turn' })
    expect(await refusedBy('good morning')).toMatchObject({ is: 'ignored' })
    const refusals = (await rig.gate.audit.page(undefined, 1, 100_000)).filter(
      ({ type }) => type === 'workflow.refused',
    )
    expect(refusals.map(({ outcome }) => outcome)).toEqual([
      'trust_mismatch',
      'invalid_protocol_message',
      'invalid_protocol_message',
      'invalid_protocol_message',
      'invalid_protocol_message',
      'invalid_protocol_message',
      'schema_validation',
    ])
  })

  test('of an impostor with the right prefix is refused before its payload is parsed, although every sender may write', async () => {
    // An invalid message of a trusted peer is a trust mismatch if anybody else sends it, because its payload is not parsed.
    for (const sender of ['@imp:test', '@boss:test.evil', '@Boss:test'])
      expect(await refusedBy('CLERK_FILE {not json', { sender })).toMatchObject({
        is: 'refused',
        code: 'trust_mismatch',
      })
    expect(await refusedBy('CLERK_FILE {not json')).toMatchObject({ code: 'invalid_protocol_message' })
  })

  test('that is delivered twice starts one run', async () => {
    await rig.apply(clerk(NOTE('once {{input.run_id}}')))
    const text = FILE({ run_id: 91, titles: ['x'] })
    const [one, two] = [await rig.say(text, { id: 'same' }), await rig.say(text, { id: 'same' })]
    expect(two).toBe(one)
    await rig.ended(one)
    expect(rig.effects().filter((line) => line.includes('once 91'))).toHaveLength(1)
  })
})

describe('versions', () => {
  test('are numbered, compared and rolled back to as new ones; a mistake changes nothing', async () => {
    const first = await rig.apply(clerk(NOTE('version a')))
    expect(await rig.apply(clerk(NOTE('version a')))).toBe(first)
    const second = await rig.apply(clerk(NOTE('version b')))
    expect(second).toBe(first + 1)
    expect(await applyDocument(rig.ports, ADMIN, clerk('- type: nothing'))).toMatchObject({
      ok: false,
      problem: {
        code: 'workflow.invalid',
        about: { faults: expect.stringContaining('step 0: unknown step type "nothing"') },
      },
    })
    const diff = valueOf(await diffVersions(rig.ports, 'clerk', undefined, undefined))
    expect(diff).toMatchObject({ from: first, to: second, added: 1, removed: 1 })
    const back = valueOf(await rollBack(rig.ports, ADMIN, 'clerk', undefined))
    expect(back).toMatchObject({ version: second + 1, rolled_back_to: first })
    const [newest] = valueOf(await listVersions(rig.ports, 'clerk', { limit: 1 })).items
    expect(newest).toMatchObject({
      version: second + 1,
      author: 'admin:local',
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    for (const caller of [AGENT, APPROVER])
      expect(await applyDocument(rig.ports, caller, clerk(NOTE('x')))).toMatchObject({
        problem: { code: 'auth.forbidden' },
      })
  })
})
