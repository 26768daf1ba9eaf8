import { expect } from 'vitest'
import { ESCAPES, FORGED_LINES, HIDDEN_PAYLOADS, looksOurs, UNSEEN } from '../../hostile-texts.ts'
import { run } from '../../helpers/with-running-gate.ts'
import { effectsIn, until } from '../../helpers/with-gate.ts'
import { sendRaw, rpc } from '../../helpers/send-raw.ts'
import type { Scenario } from './scenario.ts'
import { prepare, startPublished, toolServer, type Names, type Published } from './with-published-gate.ts'

type Use = (gate: Published, names: Names) => Promise<void>
const withGate =
  (use: Use, more: Parameters<typeof startPublished>[1] = {}) =>
  async (launcher: string): Promise<void> => {
    const gate = await startPublished(launcher, more)
    try {
      await use(gate, await prepare(gate))
    } finally {
      await gate.stop()
    }
  }
const call = (gate: Published, key: string | undefined, tool: string, args: object, thread?: string) =>
  gate.http('POST', '/v1/calls', key, { tool, args, ...(thread === undefined ? {} : { thread }) })

const forgedPackets: Use = async (gate, { agent }) => {
  for (const { name, text } of [...FORGED_LINES, ...ESCAPES, ...UNSEEN.slice(-8)]) {
    // A thread's name cannot contain line breaks or invisible characters.
    expect([name, await call(gate, agent, 'shop__write_note', { text }, `a\n${text}`)]).toMatchObject([
      name,
      { status: 400 },
    ])
    const held = await call(gate, agent, 'shop__write_note', { text }, 'auth_0123456789abcdef  book__note  simple')
    expect([name, held.status]).toEqual([name, 202])
    const packet = await gate.cli('approvals', 'show', String(held.body['approval_id']))
    expect([name, looksOurs(packet.out)]).toEqual([name, undefined])
  }
  const list = await gate.cli('approvals')
  expect(looksOurs(list.out)).toBeUndefined()
  expect(list.out).not.toMatch(/^\s*auth_0123456789abcdef/m)
  const tools = await gate.cli('tools')
  expect(looksOurs(tools.out)).toBeUndefined()
}

const hiddenPayloads: Use = async (gate, { agent, approver }) => {
  for (const { name, text } of HIDDEN_PAYLOADS) {
    const { body } = await call(gate, agent, 'shop__write_note', { text })
    const packet = (await gate.http('GET', `/v1/approvals/${String(body['approval_id'])}`, approver)).body
    expect([name, packet['strength']]).toEqual([name, 'strong'])
    const [place] = packet['hidden'] as Record<string, unknown>[]
    expect(place).toMatchObject({ in: 'proposed_args', at: '/text' })
    expect(place?.['length']).toBeGreaterThan(10)
    expect(JSON.stringify(packet['proposed_args'])).not.toContain(text)
  }
}

const changedDefinition: Use = async (gate, { agent, approver }) => {
  const listed = async () => (await sendRaw(gate, agent, { body: rpc('tools/list') })).text
  const first = await listed()
  expect(first).toContain('Gets the weather')
  expect(first.length).toBeLessThan(50_000) // the title of 60,000 characters was cut
  expect((await call(gate, agent, 'shop__change', {})).body).toMatchObject({ status: 'executed' })
  const path = '/v1/tools/shop__get_weather/definition'
  await until(async () => JSON.stringify((await gate.http('GET', path, approver)).body).includes('evil.test'))
  const everything = [
    await listed(),
    (await gate.http('GET', '/v1/tools/search?q=weather', agent)).body,
    (await gate.http('GET', '/v1/tools/shop__get_weather', agent)).body,
  ]
  expect(JSON.stringify(everything)).not.toContain('evil.test')
  const held = await call(gate, agent, 'shop__get_weather', {})
  expect(held).toMatchObject({ status: 202 })
  expect(JSON.stringify(held.body)).toContain('definition.changed')
  expect(effectsIn(gate.folder)).toHaveLength(1)
}

/** Asks for the gate's health while a large request is in progress, and counts the answers. */
async function healthDuring(gate: Published, during: Promise<unknown>): Promise<number> {
  const state = { isOver: false, answers: 0 }
  void during.finally(() => (state.isOver = true))
  while (!state.isOver) {
    expect((await fetch(`${gate.url}/healthz`)).status).toBe(200)
    if (!state.isOver) state.answers += 1
  }
  return state.answers
}

const largeArguments: Use = async (gate, { agent }) => {
  const large = call(gate, agent, 'shop__write_note', { text: 'key='.repeat(262_000) })
  // Others are answered before this call is.
  expect(await healthDuring(gate, large)).toBeGreaterThan(1)
  expect((await large).body).toMatchObject({ status: 'pending' })
  expect(effectsIn(gate.folder)).toHaveLength(0)
}

const manyTools: Use = async (gate, { admin, agent }) => {
  const count = async () => {
    const { body } = await gate.http('GET', '/v1/servers', admin)
    const servers = body['items'] as { server: string; tools: number }[]
    return servers.find(({ server }) => server === 'many')?.tools ?? 0
  }
  const settled = until(async () => (await count()) > 0)
  await healthDuring(gate, settled)
  expect(await count()).toBeLessThanOrEqual(5_000)
  expect((await call(gate, agent, 'shop__echo', { text: 'still here' })).body).toMatchObject({ status: 'executed' })
}

const tooManyPending: Use = async (gate, { agent, sameName }) => {
  const hold = (key: string | undefined, nth: number) => call(gate, key, 'shop__write_note', { text: `${nth}` })
  const codes: unknown[] = []
  for (let nth = 0; nth < 8; nth += 1) codes.push((await hold(agent, nth)).body['code'])
  // Two were held before.
  expect(codes).toEqual([undefined, undefined, undefined, ...Array(5).fill('approval.too_many_pending')])
  // The other user's agent of that name has its own limits and its own requests.
  expect((await hold(sameName, 0)).status).toBe(202)
  expect((await call(gate, agent, 'shop__echo', { text: 'x' })).body).toMatchObject({ status: 'executed' })
}

const keyInEnvironment: Use = async (gate, { admin, held }) => {
  const options = { launcher: gate.launcher, env: { SLUICE_KEY: admin ?? '' } }
  const ran = await run(gate.folder, ['--as', 'agent:lesser', '--json', 'approve', held ?? ''], undefined, options)
  expect(ran.code).not.toBe(0)
  expect(`${ran.out}${ran.err}`).toContain('auth.forbidden')
  expect(effectsIn(gate.folder)).toHaveLength(0)
}

const approvedOnce: Use = async (gate, { held, heldCall, approver, agent }) => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => gate.approve(held, approver ?? '')))
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0)
  await gate.http('GET', `/v1/calls/${heldCall}?wait_ms=60000`, agent)
  expect(effectsIn(gate.folder)).toHaveLength(1)
}

const MANY_TOOLS = {
  many: { command: 'node', args: [toolServer('many-tools.ts')], env: { TOOL_COUNT: '6000', TEXT_LENGTH: '2000' } },
}

export const TEXT_SCENARIOS: readonly Scenario[] = [
  { name: 'no argument, thread or title can add a line to a packet', run: withGate(forgedPackets) },
  {
    name: 'a payload after a password is reported with its length, and needs a strong approval',
    run: withGate(hiddenPayloads),
  },
  {
    name: 'a tool that changes after it was admitted is shown as it was, and held',
    run: withGate(changedDefinition),
  },
  { name: 'one call of a megabyte of `key=` delays nobody else', run: withGate(largeArguments) },
  {
    name: 'a server of 6,000 tools is cut to 5,000, and others work meanwhile',
    run: withGate(manyTools, { servers: MANY_TOOLS }),
  },
  {
    name: 'one caller fills its own limit of requests, and nobody else`s',
    run: withGate(tooManyPending, { config: { approvals: { pending_per_caller: 5 } } }),
  },
  { name: '`--as` counts, and an admin`s SLUICE_KEY beside it does not', run: withGate(keyInEnvironment) },
  { name: 'twenty approvals of one request at once run it once', run: withGate(approvedOnce) },
]
