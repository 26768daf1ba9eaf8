import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { answerIn } from '../../../../test/helpers/answer-in.ts'
import { runCli } from '../../../adapters/cli/program.ts'
import { configure, startGate, type RunningGate } from '../../../../test/helpers/with-running-gate.ts'
import { until } from '../../../../test/helpers/with-gate.ts'
import { listenTo, type Listener } from '../../../../test/ops/listen-to.ts'
import { CASES, execute, mintOf, NO_RUN, type Fields } from './refusals.suite.ts'
import { flows } from '../index.ts'
import { bundleOf, FLOW_CONFIG, ON, PACK, prepareFlows, setFlowPolicy } from './flow-samples.suite.ts'

type Said = { readonly code: string; readonly message: string | undefined; readonly body: Fields }
type Door = (who: string, action: string, body: Fields) => Promise<Said>

const LANES = { ...ON, execution: { ...ON.execution, allowed_lanes: ['local_default', 'fast'] } }
let gate: RunningGate & { stop(): Promise<void> }
const keys = new Map<string, string>()
const keyOf = (who: string): string => keys.get(who) ?? ''
const data = () => join(gate.folder, '.sluice')

/** Ids that cases name as `$run`, `$consent` and so on. */
const known = new Map<string, string>()

beforeAll(async () => {
  gate = await startGate((folder) => {
    configure(folder)
    const file = join(folder, 'sluice.yaml')
    writeFileSync(file, JSON.stringify({ ...(JSON.parse(readFileSync(file, 'utf8')) as object), ...FLOW_CONFIG }))
    prepareFlows(folder, join(folder, '.sluice'), LANES)
  })
  const { body } = await gate.http('POST', '/v1/keys', await gate.key('admin', 'root'), {
    kind: 'admin',
    name: 'root2',
  })
  keys.set('admin', String(body['key']))
  const make = async (who: string, more: object) => {
    const made = await gate.http('POST', '/v1/keys', keyOf('admin'), { name: who, user: who, ...more })
    keys.set(who, String(made.body['key']))
  }
  await make('ana', { kind: 'approver', flow_role: 'editor' })
  await make('agent', { kind: 'agent', user: 'ana', flow_role: 'editor' })
  await make('ben', { kind: 'user', flow_role: 'editor' })
  await make('viewer', { kind: 'user' })
  await make('unsure', { kind: 'user' })
  await make('granted', { kind: 'user' })
  await make('vaulted', { kind: 'user', flow_role: 'admin', vault: 'theirs' })
  await prepareRuns()
}, 120_000)
afterAll(() => gate.stop())

async function did(who: string, action: string, body: Fields): Promise<Fields> {
  const { status, body: answer } = await gate.http('POST', '/api/v1/flows/flow_run', keyOf(who), { action, ...body })
  expect(answer, JSON.stringify(answer)).not.toHaveProperty('code')
  expect(status).toBe(200)
  return answer
}
const runIn = (answer: Fields): string => String((answer['run'] as Fields)['run_id'])

async function prepareRuns(): Promise<void> {
  const auto = { automatable: 'automatable', skills: [PACK], required: true, job: 'look' } as const
  const bundles = [
    bundleOf('flow_main', [auto, auto, { required: true }, { kind: 'human_review', required: true }]),
    bundleOf('flow_odd', [{ ...auto, kind: 'human_review' }]),
    bundleOf('flow_external', [{ ...auto, skills: [{ kind: 'external_tool', id: 'x' }] }]),
    bundleOf('flow_hand', [{ automatable: 'agent_assisted' }]),
    bundleOf('flow_org', [{}], { scope: 'org' }),
    bundleOf('flow_own', [{}], { scope: 'personal' }),
  ]
  for (const bundle of bundles) {
    const imported = await gate.http('POST', '/api/v1/flows/import', keyOf('admin'), bundle)
    expect(imported.status, JSON.stringify(imported.body)).toBe(201)
  }
  for (const [name, flow_id] of [
    ['run', 'flow_main'],
    ['other', 'flow_main'],
    ['spent_run', 'flow_main'],
    ['odd', 'flow_odd'],
    ['external', 'flow_external'],
    ['hand', 'flow_hand'],
    ['finished', 'flow_own'],
  ])
    known.set(name ?? '', runIn(await did('ana', 'start', { flow_id: flow_id ?? '' })))
  known.set('org', runIn(await did('admin', 'start', { flow_id: 'flow_org' })))
  const mint = async (name: string, run: string, more: Fields = {}, who = 'ana') => {
    const minted = await did(who, 'consent_mint', { run_id: known.get(run), allowed_lanes: ['local_default'], ...more })
    known.set(name, String((minted['consent'] as Fields)['consent_id']))
  }
  for (const run of ['run', 'other', 'odd', 'external', 'hand', 'finished']) await mint(`consent_${run}`, run)
  await did('ana', 'advance', { run_id: known.get('finished'), step_id: 'flow_own#1', status: 'done' })
  await mint('bens', 'run', {}, 'ben')
  await mint('revoked', 'run')
  await did('ana', 'consent_revoke', { consent_id: known.get('revoked') })
  await mint('fast_only', 'run', { allowed_lanes: [' fast ', 'fast'] })
  await mint('expired', 'run', { ttl_seconds: 1 })
  await mint('spent', 'spent_run', { cost_cap_units: 1 })
  const spent = { run_id: known.get('spent_run'), consent_id: known.get('spent') }
  await did('ana', 'execute_automatable', { ...spent, step_id: 'flow_main#1' })
  await did('ana', 'advance', { run_id: known.get('spent_run'), step_id: 'flow_main#1', status: 'done' })
  const expiry = Date.now() + 1_000
  await until(() => Date.now() > expiry)
}

const codeIn = ({ code }: Fields): string => (typeof code === 'string' ? code : 'ok')

const http: Door = async (who, action, body) => {
  const { run_id = '', consent_id = '', ...rest } = body as Record<string, string>
  const runs = '/api/v1/flows/runs'
  const at = `${runs}/${encodeURIComponent(run_id)}`
  const post = (path: string, sent: Fields) => gate.http('POST', path, keyOf(who), sent)
  const asked = (fields: Fields) => {
    const query = new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, String(value)])).toString()
    return query === '' ? '' : `?${query}`
  }
  const ways: Record<string, () => Promise<{ body: Fields }>> = {
    start: () => post(runs, rest),
    get: () => gate.http('GET', `${at}${asked(rest)}`, keyOf(who)),
    list: () => gate.http('GET', `${runs}${asked(rest)}`, keyOf(who)),
    advance: () => post(`${at}/advance`, rest),
    evidence: () => post(`${at}/evidence`, rest),
    consent_mint: () => post(`${at}/consents`, rest),
    consent_revoke: () => post(`/api/v1/flows/consents/${encodeURIComponent(consent_id)}/revoke`, rest),
    execute_automatable: () => post(`${at}/execute`, { consent_id, ...rest }),
    submit_review: () => post(`${at}/review`, rest),
    abandon: () => post(`${at}/abandon`, rest),
  }
  const { body: answer } = await (ways[action] ?? (() => post('/api/v1/flows/flow_run', { action, ...body })))()
  const about = (answer['about'] ?? {}) as Fields
  return { code: codeIn(answer), message: about['message'] as string | undefined, body: answer }
}

const mcp: Door = async (who, action, body) => {
  const params = { name: 'flow_run', arguments: { action, ...body } }
  const answer = await fetch(`${gate.url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${keyOf(who)}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  })
  const { result } = answerIn(await answer.text()) as { result: { isError: boolean; structuredContent: Fields } }
  const { code, about } = result.structuredContent
  expect(result.isError).toBe(code !== undefined)
  return {
    code: codeIn({ code }),
    message: ((about ?? {}) as Fields)['message'] as string | undefined,
    body: result.structuredContent,
  }
}

/** The command line in this process, against the gate's address: everything but the start of a program. */
const cli: Door = async (who, action, body) => {
  const { run_id = '', step_id = '', consent_id = '', flow_id = '', ...rest } = body as Record<string, string>
  const option = (name: string, field: string) =>
    rest[field] === undefined || rest[field].length === 0 ? [] : [name, ...[rest[field]].flat().map(String)]
  const words: Record<string, readonly string[]> = {
    start: ['start', flow_id, ...option('--flow-version', 'version')],
    get: ['get', run_id],
    list: [
      'runs',
      ...(flow_id === '' ? [] : ['--flow', flow_id]),
      ...option('--status', 'status'),
      ...option('--limit', 'limit'),
    ],
    advance: [
      'advance',
      run_id,
      step_id,
      rest['status'] ?? '',
      ...option('--skip-reason', 'skip_reason'),
      ...option('--etag', 'etag'),
    ],
    evidence: ['evidence', run_id, step_id, rest['evidence_ref'] ?? '', ...option('--kind', 'pointer_kind')],
    consent_mint: [
      'consent',
      run_id,
      ...option('--lane', 'allowed_lanes'),
      ...option('--units', 'cost_cap_units'),
      ...option('--ttl', 'ttl_seconds'),
    ],
    consent_revoke: ['revoke', consent_id],
    execute_automatable: [
      'execute',
      run_id,
      step_id,
      consent_id,
      ...option('--lane', 'model_lane'),
      ...(rest['dry_run'] === undefined ? [] : ['--dry-run']),
    ],
    submit_review: ['review', run_id, ...option('--intent', 'intent')],
    abandon: ['abandon', run_id],
  }
  let out = ''
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((text) => ((out += String(text)), true))
  try {
    const argv = ['node', 'sluice', '--json', '--url', gate.url, '--key', keyOf(who), 'flow', ...(words[action] ?? [])]
    await runCli(argv, flows.commands ?? [], { version: '0', launcher: 'sluice' } as Parameters<typeof runCli>[2])
  } finally {
    spy.mockRestore()
  }
  const answer = JSON.parse(out.split('\n').find((line) => line.startsWith('{')) ?? '{}') as Fields
  const about = (answer['about'] ?? {}) as Fields
  return { code: codeIn(answer), message: about['message'] as string | undefined, body: answer }
}

const DOORS = { HTTP: http, MCP: mcp, 'the command line': cli } as const

const filled = (value: unknown): unknown => {
  if (typeof value === 'string' && value.startsWith('$')) return known.get(value.slice(1)) ?? value
  if (Array.isArray(value) || typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, filled(one)]))
}

describe.each(Object.entries(DOORS))('at %s', (name, door) => {
  const own = CASES.filter(([, , , , more]) => !(name === 'the command line' && more?.no_cli === true))
  test.each(own.map((one) => ({ one, title: `${one[0]} ${JSON.stringify(one[1])} answers ${one[2]}` })))(
    '$title',
    async ({ one }) => {
      const [action, body, code, message, more] = one
      const said = await door(more?.who ?? 'ana', action, filled(body) as Fields)
      expect(said.code, JSON.stringify(said.body)).toBe(code)
      if (message !== undefined) expect(said.message).toBe(message)
    },
  )

  const GATED = {
    start: { flow_id: 'flow_main' },
    advance: { run_id: '$run', step_id: 'flow_main#1', status: 'in_progress' },
    evidence: { run_id: '$run', step_id: 'flow_main#1', evidence_ref: 'x', pointer_kind: 'hash' },
    consent_mint: mintOf(),
    consent_revoke: { consent_id: '$consent_run' },
    execute_automatable: execute(),
    submit_review: { run_id: '$run', intent: 'x' },
    abandon: { run_id: '$run' },
  }
  const FORBIDDEN = 'FLOW_EXECUTION_POLICY_FORBIDDEN'
  const OFF = 'FLOW_RUN_WRITES_DISABLED'
  const NO_AUTO = 'FLOW_AUTOMATABLE_EXECUTION_DISABLED'
  test.each([
    ['an unreadable file', '{', FORBIDDEN, FORBIDDEN],
    ['a file with an unknown field', { flow_runs: true }, FORBIDDEN, FORBIDDEN],
    ['everything forbidden', { ...ON, execution: { forbidden: true } }, FORBIDDEN, FORBIDDEN],
    ['the defaults', {}, OFF, NO_AUTO],
    ['automatable execution on, run writes off', { execution: { automatable_enabled: true } }, OFF, OFF],
    ['run writes on, automatable execution off', { flow_run_writes_enabled: true }, undefined, NO_AUTO],
    [
      'automatable steps forbidden',
      { ...ON, execution: { automatable_enabled: true, automatable_forbidden: true } },
      undefined,
      FORBIDDEN,
    ],
  ])('with %s', async (_, policy, writes, execution) => {
    setFlowPolicy(data(), policy)
    try {
      for (const [action, body] of Object.entries(GATED)) {
        const isExecution = action === 'consent_mint' || action === 'execute_automatable'
        const expected = isExecution ? execution : writes
        if (expected === undefined) continue
        expect([action, (await door('ana', action, filled(body) as Fields)).code]).toEqual([action, expected])
      }
      // Reading is never gated.
      expect((await door('ana', 'get', { run_id: known.get('run') ?? '' })).code).toBe('ok')
      expect((await door('ana', 'list', {})).code).toBe('ok')
    } finally {
      setFlowPolicy(data(), LANES)
    }
  })
})

test('camelCase is accepted, texts are trimmed, and duplicates are rejected', async () => {
  const started = await mcp('ana', 'start', { flowId: ' flow_own ', taskRef: ' T-1 ' })
  expect(started).toMatchObject({ code: 'ok', body: { run: { task_ref: 'T-1', flow_id: 'flow_own' } } })
  expect((await mcp('ana', 'start', { flowId: 'flow_own', flow_id: 'flow_own' })).code).toBe('BAD_REQUEST')
})

test('a page contains no hidden rows, and its cursor continues where the page ended', async () => {
  for (let n = 0; n < 3; n += 1) {
    await did('admin', 'start', { flow_id: 'flow_org' })
    await did('ana', 'start', { flow_id: 'flow_own' })
  }
  const seen: string[] = []
  for (let cursor: unknown; ;) {
    const page = await http('viewer', 'list', { limit: 2, ...(cursor === undefined ? {} : { cursor }) })
    const runs = page.body['runs'] as readonly Fields[]
    expect(runs.every(({ scope }) => scope === 'personal')).toBe(true)
    seen.push(...runs.map(({ run_id }) => String(run_id)))
    cursor = page.body['next_cursor']
    if (cursor === undefined) break
    expect(runs).toHaveLength(2)
  }
  expect(new Set(seen).size).toBe(seen.length)
  const whole = await http('admin', 'list', { flow_id: 'flow_own', limit: 200 })
  expect((whole.body['runs'] as readonly Fields[]).map(({ run_id }) => run_id)).toEqual(seen)
  const done = await http('admin', 'list', { flow_id: 'flow_own', status: 'done' })
  expect((done.body['runs'] as readonly Fields[]).map(({ run_id }) => run_id)).toEqual([known.get('finished')])
})

test('an outdated etag is rejected, and the header contains the new one', async () => {
  const run_id = runIn(await did('ana', 'start', { flow_id: 'flow_hand' }))
  const advance = (etag: string) =>
    fetch(`${gate.url}/api/v1/flows/runs/${run_id}/advance`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${keyOf('ana')}`, 'if-match': etag },
      body: JSON.stringify({ step_id: 'flow_hand#1', status: 'in_progress' }),
    })
  const first = await advance('"v1"')
  expect([first.status, first.headers.get('etag')]).toEqual([200, '"v2"'])
  expect((await advance('"v1"')).status).toBe(412)
  expect((await advance('"v2"')).status).toBe(200)
})

test('a bundle is checked whole, and an edit continues the newest version', async () => {
  const send = async (bundle: unknown, who = 'admin') => {
    const { body } = await gate.http('POST', '/api/v1/flows/import', keyOf(who), bundle)
    return codeIn(body)
  }
  const first = bundleOf('flow_edited', [{}, {}])
  const steps = first['steps'] as readonly Fields[]
  expect(await send({ ...first, steps: steps.toReversed() })).toBe('BAD_REQUEST')
  expect(await send({ ...first, steps: steps.slice(1) })).toBe('BAD_REQUEST')
  expect(await send({ ...first, steps: steps.map((step) => ({ ...step, automatable: 'always' })) })).toBe('BAD_REQUEST')
  expect(await send({ ...first, flow: { ...(first['flow'] as object), scope: 'world' } })).toBe('BAD_REQUEST')
  expect(await send({ ...first, role: 'admin' })).toBe('BAD_REQUEST')
  expect(await send({ source: 'flow: {a: 1, a: 2}' })).toBe('BAD_REQUEST')
  expect(await send(first, 'viewer')).toBe('auth.forbidden')
  expect(await send(first, 'agent')).toBe('auth.forbidden')
  expect(await send(bundleOf('flow_edited', [{}], { scope: 'org' }), 'ben')).toBe('auth.forbidden')
  expect(await send({ ...first, base_version: '0.9.0' })).toBe('FLOW_LINEAGE_CONFLICT')
  expect(await send({ source: JSON.stringify(first) })).toBe('ok')
  expect(await send(first)).toBe('FLOW_LINEAGE_CONFLICT')
  const run_id = runIn(await did('ana', 'start', { flow_id: 'flow_edited' }))
  const edit = bundleOf('flow_edited', [{}, {}, {}], { version: '1.0.1', base_version: '1.0.0' })
  expect(await send({ ...edit, base_version: '0.0.1' })).toBe('FLOW_LINEAGE_CONFLICT')
  expect(await send(bundleOf('flow_edited', [{}], { version: '1.0.0', base_version: '1.0.0' }))).toBe(
    'FLOW_LINEAGE_CONFLICT',
  )
  expect(await send(edit)).toBe('ok')
  const { body } = await gate.http('GET', `/api/v1/flows/runs/${run_id}/checklist`, keyOf('ana'))
  expect([(body['run'] as Fields)['flow_version'], (body['steps'] as unknown[]).length]).toEqual(['1.0.0', 2])
  setFlowPolicy(data(), { ...ON, execution: { automatable_forbidden: true } })
  try {
    const denied = await gate.http(
      'POST',
      '/api/v1/flows/import',
      keyOf('admin'),
      bundleOf('flow_denied', [{}, { automatable: 'agent_assisted' }]),
    )
    expect(denied.body).toMatchObject({ code: 'FLOW_IMPORT_AUTOMATABLE_DENIED', about: { steps: 'flow_denied#2' } })
    expect(await send(bundleOf('flow_by_hand', [{}]))).toBe('ok')
  } finally {
    setFlowPolicy(data(), LANES)
  }
})

test('a consent is clamped to what the policy permits', async () => {
  const minted = await did('ana', 'consent_mint', {
    run_id: known.get('run'),
    allowed_lanes: [' fast', 'fast '],
    cost_cap_units: 1_000_000,
    ttl_seconds: 10_000_000,
  })
  const consent = minted['consent'] as Fields
  expect(consent).toMatchObject({ cost_cap_units: 1_000, allowed_lanes: ['fast'] })
  expect(Date.parse(String(consent['expires_at']))).toBeLessThanOrEqual(Date.now() + 86_400_000)
})

test('the checklist of a run is readable on the command line', async () => {
  const ran = await gate.cli('--key', keyOf('ana'), 'flow', 'get', known.get('spent_run') ?? '')
  expect(ran.code).toBe(0)
  expect(ran.out).toMatch(/\[x\] 1\. look {2}approver:ana/)
  expect(ran.out).toMatch(/\[ \] 3\. job 3/)
  expect(ran.out).toMatch(/0 of 1 unit left/)
  const refused = await gate.cli('--key', keyOf('ana'), 'flow', 'get', NO_RUN)
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('[unknown_run]')])
})

test('the stream reports each manual tick to everybody who may see the run, and to nobody else', async () => {
  const listen = (who: string) => listenTo(`${gate.url}/v1/stream?kinds=flow,pause`, keyOf(who))
  const streams = { ben: await listen('ben'), viewer: await listen('viewer'), vaulted: await listen('vaulted') }
  for (const one of Object.values(streams)) await one.next('hello')
  const run_id = runIn(await did('ana', 'start', { flow_id: 'flow_main' }))
  await did('ana', 'advance', { run_id, step_id: 'flow_main#1', status: 'in_progress' })
  await did('admin', 'start', { flow_id: 'flow_org' })
  const own = runIn(await did('ana', 'start', { flow_id: 'flow_own' }))
  // The last event, which everybody gets: a client that has it has everything before it.
  const pause = { scope: 'server:book', effect: 'ask', active: false, reason: '' }
  expect((await gate.http('POST', '/v1/pauses', keyOf('admin'), pause)).status).toBe(200)
  for (const one of Object.values(streams)) await one.next('pause')
  const flowsIn = (one: Listener) =>
    one.events.flatMap(({ event, data }) => (event === 'flow' ? [[data['run_id'], data['version']]] : []))
  expect(flowsIn(streams.ben)).toEqual([
    [run_id, 1],
    [run_id, 2],
    [own, 1],
  ])
  expect(flowsIn(streams.viewer)).toEqual([[own, 1]])
  expect(flowsIn(streams.vaulted)).toEqual([])
  const [first] = streams.ben.events.filter(({ event }) => event === 'flow')
  expect(Object.keys(first?.data ?? {}).toSorted()).toEqual(['about', 'at', 'flow_id', 'run_id', 'state', 'version'])
  expect(first?.data).toMatchObject({ about: 'run', flow_id: 'flow_main', state: 'in_progress' })
  for (const one of Object.values(streams)) one.close()
})
