import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { AGENT, effectsIn, openTestGate, type GateRig } from '../../../../test/helpers/with-gate.ts'
import { approvalIn, FLOW_POLICY, note, runFlow } from './with-flows.suite.ts'

type Asked = { readonly path: string; readonly key: string | undefined; readonly body: Record<string, unknown> }

/** Serves the chat-completions API, and answers as the operator's own gate and risk provider too. */
const world: { words: string; risk: unknown; gate: unknown[]; asked: Asked[] } = {
  words: '',
  risk: 0,
  gate: [],
  asked: [],
}
let server: Server
let rig: GateRig
const folder = mkdtempSync(join(tmpdir(), 'sluice-providers-'))

const completion = (content: string) => ({
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: 'local',
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
})

beforeAll(async () => {
  server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.on('end', () => {
      const body = JSON.parse(text) as Record<string, unknown>
      world.asked.push({ path: request.url ?? '', key: request.headers.authorization, body })
      const answer =
        request.url === '/v1/chat/completions'
          ? completion(world.words)
          : request.url === '/gate'
            ? world.gate.length > 1
              ? world.gate.shift()
              : world.gate[0]
            : world.risk
      response.writeHead(answer === undefined ? 500 : 200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(answer))
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  mkdirSync(join(folder, 'logs'))
  writeFileSync(join(folder, 'key'), 'sk-model-key\n')
  rig = await openTestGate(folder, {
    policy: FLOW_POLICY,
    config: {
      repetition: { most: 1000 },
      models: { toolflow: { provider: 'openai-compatible', url: `${url}/v1`, model: 'local', key: 'file:key' } },
      serenity: { gate_provider: { url: `${url}/gate` }, risk_provider: { url: `${url}/risk` } },
    },
  })
})
afterAll(async () => {
  await rig.opened.close()
  server.closeAllConnections()
  server.close()
  rmSync(folder, { recursive: true, force: true })
})
beforeEach(() => {
  Object.assign(world, {
    words: '',
    risk: { risk_score: 1 },
    gate: [{ decision: 'AUTO_RUN', total_score: 97 }],
    asked: [],
  })
})

describe('a model', () => {
  const wanted = { user_prompt: 'note buy milk', skill_id: 'book__note' }

  test.each([
    ['{"text":"buy milk"}', 'OK', []],
    ['```json\n{"text":"Buy  Milk"}\n```', 'OK', []],
    ['{"text":"buy eggs"}', 'ASK', ['text']],
    ['{"text":"buy milk","ms":5000}', 'ASK', ['ms']],
    ['{}', 'ASK', ['text']],
    ['I think you want to buy milk', 'ASK', ['text']],
    ['["buy milk"]', 'ASK', ['text']],
    ['{"text":7}', 'ASK', ['text']],
  ] as const)('that says %s: %s, wanting %j', async (words, status, required_inputs) => {
    world.words = words
    const before = effectsIn(folder).length
    const view = await runFlow(rig, wanted)
    expect(view.status).toBe(status)
    if (status === 'ASK') expect(view.approval_packet).toMatchObject({ approval_id: null, required_inputs })
    expect(effectsIn(folder).length - before).toBe(status === 'OK' ? 1 : 0)
  })

  test('gets the tool and the prompt, with its key, and never a secret of the prompt', async () => {
    const secret = `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`
    world.words = '{}'
    await runFlow(rig, { ...wanted, user_prompt: `note ${secret}` })
    const [asked] = world.asked.filter(({ path }) => path === '/v1/chat/completions')
    expect(asked).toMatchObject({ key: 'Bearer sk-model-key', body: { model: 'local', temperature: 0 } })
    expect(JSON.stringify(asked)).toContain('[REDACTED_')
    expect(JSON.stringify(asked)).not.toContain(secret)
  })

  test('is not asked if the caller gave the arguments', async () => {
    await runFlow(rig, note('mine'))
    expect(world.asked.map(({ path }) => path)).not.toContain('/v1/chat/completions')
  })
})

describe('the operator’s own gate', () => {
  test('is the evidence, with its score', async () => {
    const { status, result_card } = await runFlow(rig, note('fine'))
    expect([status, result_card?.gate_evidence]).toMatchObject([
      'OK',
      { gate_status: 'AUTO_RUN', total_score: 97, risk_score: 1 },
    ])
    expect(result_card?.gate_evidence.source).toMatch(/^serenity\.gate_provider \(http:/)
  })

  test.each([
    [{ decision: 'BLOCK' }, 'BLOCK'],
    [{ mode: 'ASK' }, 'ASK'],
    [{ decision: 'perhaps' }, 'ASK'],
    [{}, 'ASK'],
    [undefined, 'ASK'],
  ])('that says %j: %s', async (answer, status) => {
    world.gate = [answer]
    expect((await runFlow(rig, note('asked'))).status).toBe(status)
  })

  test('never loosens the policy', async () => {
    expect((await runFlow(rig, note('ask a person'))).status).toBe('ASK')
  })

  test('that becomes strict between judging and running holds the call', async () => {
    // Judged, tried without its effect, then dispatched.
    world.gate = [{ decision: 'AUTO_RUN' }, { decision: 'AUTO_RUN' }, { decision: 'ASK' }]
    const { status, state, approval_packet } = await runFlow(rig, note('stricter'))
    expect([status, state.path.slice(-2)]).toEqual(['ASK', ['EXECUTE', 'ASK']])
    expect(approval_packet).toMatchObject({ skill_id: 'book__note' })
  })

  test('that becomes permissive after an ask or a block changes nothing', async () => {
    const before = effectsIn(folder).length
    world.gate = [{ decision: 'ASK' }, { decision: 'AUTO_RUN' }]
    expect(approvalIn(await runFlow(rig, note('milder')))).toMatch(/^auth_/)
    world.gate = [{ decision: 'BLOCK' }, { decision: 'AUTO_RUN' }]
    expect((await runFlow(rig, note('much milder'))).status).toBe('BLOCK')
    expect(effectsIn(folder)).toHaveLength(before)
  })

  test('is asked at every door and gets no secrets; an unknown risk matters only to the toolflow', async () => {
    world.risk = undefined
    expect(await rig.call('book__look')).toMatchObject({ status: 'executed' })
    expect((await runFlow(rig, { user_prompt: 'look' })).status).toBe('ASK')
    world.gate = [{ decision: 'BLOCK' }]
    expect(await rig.call('book__look')).toMatchObject({ status: 'refused', problem: { code: 'call.blocked' } })
    const token = `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`
    await rig.call('book__echo', { text: token })
    expect(JSON.stringify(world.asked)).not.toContain(token)
    expect(world.asked.at(-1)?.body).toMatchObject({ skill_id: 'book__echo', caller: AGENT, toolflow: false })
  })
})

describe('the risk provider', () => {
  test.each([
    [{ risk_score: 9.99 }, {}, 'OK'],
    [{ risk_score: 10 }, {}, 'ASK'],
    [undefined, {}, 'ASK'],
    [{ risk_score: 'low' }, {}, 'ASK'],
    [{ risk_score: 1 }, { risk_score: 50 }, 'ASK'],
    [{ risk_score: 50 }, { risk_score: 1 }, 'ASK'],
    [undefined, { risk_score: 1 }, 'OK'],
  ])('that says %j, the user %j: %s', async (risk, claim, status) => {
    world.risk = risk
    expect((await runFlow(rig, { ...note('risky'), ...claim })).status).toBe(status)
  })
})
