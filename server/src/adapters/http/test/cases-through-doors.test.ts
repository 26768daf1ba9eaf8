import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asProgram } from '../../../kernel/contract/caller.ts'
import { type GateCase, gateVerdict, readCases } from '../../../../test/cases/read-cases.ts'
import { answerIn } from '../../../../test/helpers/answer-in.ts'
import { someOf } from '../../../../test/some-of.ts'
import { startGate, type RunningGate } from '../../../../test/helpers/with-running-gate.ts'

const SERVER = resolve(import.meta.dirname, '../../../../test/tool-servers/from-cases.ts')
/** This gate has two people who decide; one with a single person is in one-approver.test.ts. */
const cases = readCases().filter(({ facts }) => facts?.approvers !== 1)

/** Cases with the same policy are grouped: the policy of the running gate is replaced once for all of them. */
const byPolicy = [...Map.groupBy(cases, ({ policy }) => JSON.stringify(policy))].map(([policy, members]) => ({
  policy,
  members,
  title: `under ${policy}`,
}))

/** Every server the cases name, with what they say of its tools. */
function configureFor(folder: string): void {
  const ofServers = Map.groupBy(cases, ({ tool }) => tool.id.split('__')[0] ?? '')
  const servers = Object.fromEntries(
    [...ofServers].map(([server, members]) => {
      const settings = members.map(({ tool }) => [tool.id.split('__')[1], { effects: tool.effects, tags: tool.tags }])
      const tools: unknown = Object.fromEntries(settings)
      const isSandboxed = members.some(({ tool }) => tool.sandboxed === true)
      const sandbox = isSandboxed ? { sandbox: { roots: ['.'], local: true } } : {}
      return [server, { command: 'node', args: [SERVER], env: { SERVER: server }, tools, ...sandbox }]
    }),
  )
  writeFileSync(join(folder, 'policy.yaml'), '{}')
  writeFileSync(
    join(folder, 'sluice.yaml'),
    JSON.stringify({
      listen: { port: 0 },
      mcp: { surface: 'passthrough' },
      policy: './policy.yaml',
      servers,
      repetition: { most: 1000 },
    }),
  )
}

type Seen = { readonly status: unknown; readonly code: unknown }
type Door = (one: GateCase, thread: string) => Promise<Seen>
type Entry = { type: string; subject: Record<string, string>; verdict?: Record<string, unknown> }

let gate: RunningGate & { stop(): Promise<void> }
let admin = ''
const keys = new Map<string, string>()
beforeAll(async () => {
  gate = await startGate(configureFor)
  admin = await gate.key('admin', 'root')
  for (const { caller } of cases)
    if (!keys.has(caller.id))
      keys.set(caller.id, await gate.key(caller.role, caller.id.split(':')[1] ?? '', caller.user))
})
afterAll(() => gate.stop())

const keyOf = ({ caller }: GateCase) => keys.get(caller.id) ?? ''

const overHttp: Door = async (one, thread) => {
  const { body } = await gate.http('POST', '/v1/calls', keyOf(one), { tool: one.tool.id, args: one.args, thread })
  return { status: body['outcome'] ?? body['status'], code: body['code'] }
}

const overCli: Door = async (one, thread) => {
  const words = ['--json', '--key', keyOf(one), 'call', one.tool.id, JSON.stringify(one.args), '--session', thread]
  const body = JSON.parse((await gate.cli(...words)).out) as Record<string, unknown>
  return { status: body['outcome'] ?? body['status'], code: body['code'] }
}

const overMcp: Door = async (one, thread) => {
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: one.tool.id, arguments: one.args, _meta: { 'sluice/session': thread } },
  }
  const answer = await fetch(`${gate.url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${keyOf(one)}` },
    body: JSON.stringify(message),
  })
  const { result } = answerIn(await answer.text()) as { result: { structuredContent?: Record<string, unknown> } }
  const details = result.structuredContent ?? {}
  return { status: details['status'] ?? 'executed', code: details['code'] }
}

const DOORS: readonly { readonly door: string; readonly sendRaw: Door; readonly thread: (at: number) => string }[] = [
  { door: 'HTTP', sendRaw: overHttp, thread: (at) => `http-${at}` },
  { door: 'the command line', sendRaw: overCli, thread: (at) => `cli-${at}` },
  { door: 'MCP', sendRaw: overMcp, thread: (at) => `mcp-${at}` },
]

/** A command is a separate process, so `npm test` runs every fifth case there; the other doors see all. */
const ofCommandLine = new Set(someOf(cases, 5))

/** At the MCP door a person's credential has the kind of an agent (security/oidc-doors.test.ts). */
const isAboutPeople = ({ caller, policy }: GateCase): boolean =>
  asProgram({ ...caller, kind: caller.role }).kind !== caller.role && JSON.stringify(policy).includes('"role":')

const seesCase = (door: Door, one: GateCase): boolean =>
  door === overCli ? ofCommandLine.has(one) : door !== overMcp || !isAboutPeople(one)

const STATUS = { allow: 'executed', ask: 'pending', block: 'refused' } as const

/** What the audit says about the call of one thread. Found by its thread: every case at every door has its own. */
async function recordedIn(thread: string): Promise<Entry | undefined> {
  for (let from = 1; ; from += 200) {
    const { body } = await gate.http('GET', `/v1/audit?from=${from}&limit=200`, admin)
    const items = body['items'] as Entry[]
    const found = items.find(
      ({ subject, verdict }) =>
        verdict !== undefined && (subject['thread'] === thread || subject['thread']?.endsWith(`:${thread}`) === true),
    )
    if (found !== undefined || items.length === 0) return found
  }
}

describe.each(byPolicy)('$title', ({ policy, members }) => {
  beforeAll(async () => {
    writeFileSync(join(gate.folder, 'policy.yaml'), policy)
    expect(await gate.http('POST', '/v1/policies/reload', admin)).toMatchObject({ status: 200 })
  })

  test.each(
    members.flatMap((one) =>
      DOORS.filter(({ sendRaw }) => seesCase(sendRaw, one)).map((door) => ({ ...door, one, name: one.name })),
    ),
  )('at $door: $name', async ({ sendRaw, thread, one }) => {
    const own = thread(cases.indexOf(one))
    const verdict = gateVerdict(one)
    const seen = await sendRaw(one, own)
    const code = verdict.effect === 'block' ? 'call.blocked' : undefined
    expect(seen).toEqual({ status: STATUS[verdict.effect], code })
    const recorded = (await recordedIn(own))?.verdict ?? {}
    expect(recorded).toMatchObject(verdict)
    expect(recorded['observed']).toBe('observed' in verdict ? verdict.observed : undefined)
    if (one.expected.rule !== undefined)
      expect((recorded['evidence'] as { rule: string }[]).map(({ rule }) => rule)).toContain(one.expected.rule)
  })
})
