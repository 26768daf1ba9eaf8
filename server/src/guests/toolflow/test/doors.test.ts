import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { startGate, type RunningGate } from '../../../../test/helpers/with-running-gate.ts'
import { BOOK_TOOLS, effectsIn } from '../../../../test/helpers/with-gate.ts'

type Case = {
  readonly name: string
  readonly doors?: readonly ('http' | 'cli')[]
  readonly caller?: 'agent' | 'user'
  readonly flow: Readonly<Record<string, unknown>>
  readonly health?: { readonly score: unknown; readonly age_s?: number }
  readonly status: keyof typeof OUTPUT_OF
  readonly exit?: number
  readonly card?: object
  readonly gate?: object
}

const OUTPUT_OF = {
  OK: 'result_card',
  FAILED: 'result_card',
  ASK: 'approval_packet',
  BLOCK: 'block_card',
  NO_CANDIDATES: 'no_candidates_card',
} as const
const OUTPUTS = [...new Set(Object.values(OUTPUT_OF))]

const cases = parse(readFileSync(join(import.meta.dirname, 'cases.yaml'), 'utf8')) as readonly Case[]

function prepare(folder: string): void {
  const book = {
    command: 'node',
    args: [resolve(import.meta.dirname, '../../../../test/tool-servers/effects.ts')],
    env: { EFFECTS: join(folder, 'effects.txt') },
    tools: { ...BOOK_TOOLS, wipe: { effects: ['write'] } },
  }
  const rules = [
    {
      id: 'not-all',
      effect: 'block',
      match: { tool: 'book__wipe' },
      when: 'args.text == "everything"',
      says: 'too much',
    },
    { id: 'notes', effect: 'allow', match: { tool: ['book__note', 'book__fails'] }, says: 'harmless' },
  ]
  mkdirSync(join(folder, 'logs'))
  writeFileSync(
    join(folder, 'sluice.yaml'),
    JSON.stringify({
      listen: { port: 0 },
      policy: { rules },
      servers: { book },
      serenity: {},
      repetition: { most: 1000 },
    }),
  )
}

let gate: RunningGate & { stop(): Promise<void> }
const keys: Record<string, string> = {}
beforeAll(async () => {
  gate = await startGate(prepare)
  for (const kind of ['agent', 'user', 'approver']) keys[kind] = await gate.key(kind, 'ana', 'ana')
})
afterAll(() => gate.stop())

function writeHealth(health: Case['health']): void {
  const file = join(gate.folder, 'logs', 'trinity_health_now.json')
  rmSync(file, { force: true })
  if (health === undefined) return
  const timestamp = new Date(Date.now() - (health.age_s ?? 0) * 1000).toISOString()
  writeFileSync(file, JSON.stringify({ timestamp, overall_trinity_score: health.score }))
}

type View = Readonly<Record<string, unknown>> & { readonly status: string; readonly run_id: string }

const overHttp = async ({ flow, caller = 'user' }: Case): Promise<View> => {
  const { body } = await gate.http('POST', '/v1/toolflow', keys[caller], flow)
  return body as View
}

const FLAGS: Readonly<Record<string, string>> = {
  query: '--query',
  top_k: '--top-k',
  risk_score: '--risk-score',
  skill_id: '--skill',
}

function wordsFor({ user_prompt, args, ...rest }: Case['flow']): string[] {
  const flags = Object.entries(rest).flatMap(([name, value]) => [FLAGS[name] ?? name, String(value)])
  return ['run', String(user_prompt), ...flags, ...(args === undefined ? [] : ['--args', JSON.stringify(args)])]
}

async function overCli({ flow, caller = 'user', exit }: Case): Promise<View> {
  const ran = await gate.cli('--json', '--key', keys[caller] ?? '', '--url', gate.url, ...wordsFor(flow))
  expect(ran.code).toBe(exit)
  return JSON.parse(ran.out) as View
}

const DOORS = { http: overHttp, cli: overCli }
const EVIDENCE = ['gate_status', 'risk_score', 'source', 'stale_score', 'total_score']

describe.each(
  cases.flatMap((one) => (one.doors ?? (['http'] as const)).map((door) => ({ door, one, name: one.name }))),
)('at $door', ({ door, one, name }) => {
  test(name, async () => {
    writeHealth(one.health)
    const ran = effectsIn(gate.folder).length
    const view = await DOORS[door](one)
    const kind = OUTPUT_OF[one.status]
    expect([view.status, OUTPUTS.filter((output) => output in view)]).toEqual([one.status, [kind]])
    const card = view[kind] as { gate_evidence: object }
    expect(card).toMatchObject({ status: one.status, ...one.card })
    expect(Object.keys(card.gate_evidence).toSorted()).toEqual(EVIDENCE)
    expect(card.gate_evidence).toMatchObject(one.gate ?? {})
    expect(effectsIn(gate.folder)).toHaveLength(ran)
  })
})

test('a person sees three lines and an exit code', async () => {
  writeHealth({ score: 95 })
  const ran = await gate.cli('run', 'look', '--risk-score', '5')
  const [first, next, receipt, ...more] = ran.out.trimEnd().split('\n')
  expect([ran.code, more]).toEqual([0, []])
  expect(first).toBe('done, allowed by trinity_health_now.json: book__look: nothing to see')
  expect(next).toMatch(/^next: full result: \S+ status call_[0-9a-f]{24}$/)
  expect(receipt).toMatch(/^receipt: run_[0-9a-f]{16} call_[0-9a-f]{24}$/)
})

test('a held flow is decided by an approver, and the next three lines show its outcome', async () => {
  writeHealth({ score: 95 })
  const asked = await overHttp({ name: '', flow: { user_prompt: 'wipe', args: { text: 'a' } }, status: 'ASK' })
  const packet = asked['approval_packet'] as { approval_id: string }
  const answer = { approval_id: packet.approval_id, choice: 'Edit Inputs', args: { text: 'b' } }
  for (const kind of ['agent', 'user'])
    expect(await gate.http('POST', `/v1/toolflow/${asked.run_id}/resume`, keys[kind], answer)).toMatchObject({
      status: 403,
    })
  const edited = await gate.http('POST', `/v1/toolflow/${asked.run_id}/resume`, keys['approver'], answer)
  expect(edited).toMatchObject({
    status: 202,
    body: { status: 'ASK', approval_packet: { proposed_args: '{"text":"b"}' } },
  })
  const { approval_id } = edited.body['approval_packet'] as { approval_id: string }
  expect(approval_id).not.toBe(packet.approval_id)
  const ran = await gate.cli('resume', asked.run_id, approval_id, 'approve')
  expect([ran.code, ran.out.split('\n')[0]]).toEqual([0, 'done, approved by a person: book__wipe: wiped'])
  expect(effectsIn(gate.folder).at(-1)).toBe('wipe {"text":"b"}')
  expect(await gate.http('GET', `/v1/toolflow/${asked.run_id}`, keys['user'])).toMatchObject({
    status: 200,
    body: { status: 'OK' },
  })
})

test('unknown flows and flows of others are not found; invalid requests are explained', async () => {
  const own = await overHttp({ name: '', caller: 'agent', flow: { user_prompt: 'frobnicate' }, status: 'OK' })
  const stranger = await gate.key('agent', 'stranger', 'eve')
  for (const [id, key] of [
    [own.run_id, stranger],
    ['run_0000000000000000', keys['user']],
    ['../x', keys['user']],
  ] as const)
    expect(await gate.http('GET', `/v1/toolflow/${encodeURIComponent(id)}`, key)).toMatchObject({
      status: 404,
      body: { code: 'toolflow.unknown' },
    })
  for (const body of [
    {},
    { user_prompt: ' ' },
    { user_prompt: 'x', top_k: 0 },
    { user_prompt: 'x', risk_score: 101 },
    { user_prompt: 'x', force: true },
  ])
    expect(await gate.http('POST', '/v1/toolflow', keys['user'], body)).toMatchObject({
      status: 400,
      body: { code: 'request.invalid' },
    })
  expect(
    await gate.http('POST', '/v1/toolflow', keys['agent'], { user_prompt: 'x', skill_id: 'book__look' }),
  ).toMatchObject({
    status: 403,
    body: { code: 'auth.forbidden' },
  })
  expect((await gate.cli('run', 'x', '--top-k', 'many')).code).toBe(64)
})

test('the graph is printed without a gate', async () => {
  const { code, out } = await gate.cli('--url', 'http://127.0.0.1:1', 'run', '--graph')
  expect([code, out.split('\n')[0]]).toEqual([0, 'flowchart TD'])
})
