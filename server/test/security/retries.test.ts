import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readLife } from '../../src/guests/activity/read-life.ts'
import type { Change, Ledger } from '../../src/kernel/ports/ledger.ts'
import type { Caller } from '../../src/kernel/contract/caller.ts'
import type { CallRequest, CallRow } from '../../src/kernel/contract/call.ts'
import type { ApprovalId, CallId } from '../../src/kernel/contract/ids.ts'
import type { Result } from '../../src/kernel/contract/problems.ts'
import {
  ADMIN,
  AGENT,
  approveShown,
  openTestGate,
  orderRetry,
  until,
  USER,
  type GateRig,
} from '../helpers/with-gate.ts'
import { valueOf } from '../../src/guests/toolflow/test/with-flows.suite.ts'

/**
 * A call whose outcome is unknown may have taken effect. To run it again is a new decision: by the same people, of the same strength, with
 * the same proof, whatever allowed the first attempt.
 */
const POLICY = `
rules:
  - { id: plain, effect: ask, match: { tool: book__note }, says: somebody looks }
  - id: strong
    effect: ask
    strength: strong
    match: { tool: book__note }
    when: args.text.startsWith("strong")
    says: somebody looks twice
  - { id: two, effect: ask, strength: two_person, match: { tool: book__wipe }, says: two people }
  - { id: free, effect: allow, match: { tool: [book__note_again, book__keep_note] }, says: harmless }
`
const APPROVALS = {
  groups: { editors: ['ada', 'cy', 'ana'] },
  routes: [
    { id: 'pair', match: { tool: 'book__slow_note' }, group: 'editors', people: 2 },
    { id: 'member', match: { tool: 'book__erase_note' }, group: 'editors' },
  ],
}
const PASSPHRASE = 'correct horse battery'
const OPTIONS = {
  policy: POLICY,
  config: { approvals: APPROVALS },
  server: {
    tools: {
      note: { effects: ['write'] },
      note_again: { effects: ['write'] },
      keep_note: { effects: ['write'], idempotent: true },
      slow_note: { effects: ['external'] },
      erase_note: { effects: ['write'] },
      wipe: { effects: ['external'] },
    },
  },
  around: { ledger: losingFirstOutcomes },
}

/** As if the tool server had run the first attempt and its answer had been lost. */
function losingFirstOutcomes<L extends Ledger>(ledger: L): L {
  const lost = (change: Change): Change => {
    if (change.kind !== 'swap' || change.table !== 'calls') return change
    const { to } = change
    const isLost = to.attempt === 1 && to.settled === undefined && (to.state === 'executed' || to.state === 'failed')
    return isLost ? { ...change, to: { ...to, state: 'unknown' } } : change
  }
  return { ...ledger, commit: (changes: readonly Change[]) => ledger.commit(changes.map(lost)) }
}

let folder = ''
let rig: GateRig
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-retries-'))
  rig = await openTestGate(folder, OPTIONS)
  for (const by of [ada, bob]) valueOf(await rig.gate.identity.setPassphrase(by, { passphrase: PASSPHRASE }))
})
afterAll(async () => {
  await rig.opened.close()
  rmSync(folder, { recursive: true, force: true })
})

const who = (user: string): Caller => ({ kind: 'approver', id: `approver:${user}`, user })
const [ada, bob, cy, dan] = [who('ada'), who('bob'), who('cy'), who('dan')]
/** The requester, who is an approver too. */
const ana = who('ana')

let count = 0
const said = (result: Result<{ readonly state: string }>) => (result.ok ? result.value.state : result.problem.code)
const codeOf = (result: Result<unknown>) => (result.ok ? 'ok' : result.problem.code)
const PROVEN: ReadonlySet<Caller> = new Set([ada, bob])
const approve = (by: Caller, id: string, proof = PROVEN.has(by) ? { passphrase: PASSPHRASE } : {}) =>
  approveShown(rig.gate, by, id, proof)
const rowOf = async (call_id: CallId): Promise<CallRow | undefined> => {
  const { items } = valueOf(await rig.gate.calls.listUnknown(ADMIN, { limit: 200 }))
  return items.find((row) => row.call_id === call_id)
}

/** `ran`: how often the tool has run it. `used`: the approval of the first attempt. */
type Lost = { readonly call_id: CallId; readonly text: string; readonly ran: () => number; readonly used?: ApprovalId }

async function lose(
  tool: string,
  first: readonly Caller[] = [],
  begins = 'lost',
  more: Partial<CallRequest> = {},
): Promise<Lost> {
  const text = `${begins} ${(count += 1)}.`
  const ran = () => rig.effects().filter((line) => line.includes(text)).length
  const outcome = await rig.call(tool, { text, title: text }, more)
  const used = outcome.status === 'pending' ? outcome.approval_id : undefined
  expect(ran()).toBe(used === undefined ? 1 : 0)
  for (const by of used === undefined ? [] : first) expect(codeOf(await approve(by, used ?? ''))).toBe('ok')
  const call_id = ('call_id' in outcome ? outcome.call_id : undefined) as CallId
  await until(async () => (await rowOf(call_id)) !== undefined)
  expect(ran()).toBe(1)
  return { call_id, text, ran, ...(used === undefined ? {} : { used }) }
}

const order = (by: Caller, call_id: string) => orderRetry(rig.gate, by, call_id)

type Kind = {
  readonly kind: string
  readonly tool: string
  readonly begins?: string
  /** Who approved the first attempt. */
  readonly first: readonly Caller[]
  readonly orderedBy: Caller
  /** Decisions on the request for the retry, in this order, and what each of them comes to. */
  readonly decisions: readonly (readonly [by: Caller, says: string, proof?: object])[]
}

const KINDS: readonly Kind[] = [
  {
    kind: 'needed nobody the first time',
    tool: 'book__note_again',
    first: [],
    orderedBy: dan,
    decisions: [[cy, 'approved']],
  },
  { kind: 'needs somebody', tool: 'book__note', first: [cy], orderedBy: cy, decisions: [[cy, 'approved']] },
  {
    kind: 'needs a strong approval',
    tool: 'book__note',
    begins: 'strong',
    first: [bob],
    orderedBy: bob,
    decisions: [
      [bob, 'approval.passphrase_needed', {}],
      [bob, 'approval.passphrase_wrong', { passphrase: 'wrong' }],
      [bob, 'approved'],
    ],
  },
  {
    kind: 'needs two people',
    tool: 'book__wipe',
    first: [ada, bob],
    orderedBy: ana,
    decisions: [
      [ana, 'approval.own_request'],
      [ada, 'approval.passphrase_needed', {}],
      [ada, 'pending'],
      [ada, 'approval.already_decided_by_you'],
      [ana, 'approval.own_request'],
      [bob, 'approved'],
    ],
  },
  {
    kind: 'needs two of a group',
    tool: 'book__slow_note',
    first: [ada, cy],
    orderedBy: ada,
    decisions: [
      [dan, 'approval.unknown'],
      [{ ...ADMIN, user: 'adam' }, 'approval.not_asked'],
      [ada, 'approval.passphrase_needed', {}],
      [ada, 'pending'],
      [ana, 'approval.own_request'],
      [cy, 'approved'],
    ],
  },
  {
    kind: 'needs one of a group that its requester is in',
    tool: 'book__erase_note',
    first: [cy],
    orderedBy: ana,
    decisions: [
      [ana, 'approval.own_request'],
      [dan, 'approval.unknown'],
      [cy, 'approved'],
    ],
  },
]

describe.each(KINDS)('the retry of a call that $kind', ({ tool, begins, first, orderedBy, decisions }) => {
  test('runs once, after the same people have approved a request of its own', async () => {
    const { call_id, ran, used } = await lose(tool, first, begins)
    const approval_id = await order(orderedBy, call_id)
    expect(approval_id).not.toBe(used)
    // Ordered again, by anybody: the same request.
    expect(await order(first[0] ?? ADMIN, call_id)).toBe(approval_id)
    for (const [by, comes_to, proof] of decisions) {
      expect(await rig.gate.calls.read(ADMIN, call_id)).toMatchObject({
        value: { status: 'unknown', retry: { approval_id } },
      })
      expect(ran()).toBe(1)
      expect(said(await approve(by, approval_id, ...(proof === undefined ? [] : [proof])))).toBe(comes_to)
    }
    expect(await rig.outcome(call_id)).toMatchObject({ status: 'executed' })
    expect(ran()).toBe(2)
    const last = decisions.at(-1)?.[0] ?? ADMIN
    expect(said(await approve(last, approval_id))).toBe('approval.not_pending')
    expect(codeOf(await rig.gate.calls.settle(last, call_id, 'retry'))).toBe('call.not_unknown')
    expect(ran()).toBe(2)
  })
})

test('a consent that covered the first attempt covers no retry, and loses nothing by it', async () => {
  const text = 'consented'
  const terms = {
    actor: 'caller:agent:a' as const,
    what: { tool: 'book__note', args: [{ path: '', op: 'any' as const }] },
    calls: 3,
    expires_in_s: 600,
  }
  const { consent_id } = valueOf(await rig.gate.consents.mint(cy, terms))
  const left = async () => {
    const { items } = await rig.gate.consents.list(ADMIN, { limit: 100 })
    return items.find((one) => one.consent_id === consent_id)?.calls_left
  }
  const { call_id, ran } = await lose('book__note', [], text)
  expect(await left()).toBe(2)
  const approval_id = await order(dan, call_id)
  const remember = { calls: 2, expires_in_s: 600 }
  expect(codeOf(await approveShown(rig.gate, cy, approval_id, { remember }))).toBe('consent.not_rememberable')
  expect(ran()).toBe(1)
  expect(said(await approve(cy, approval_id))).toBe('approved')
  expect(await rig.outcome(call_id)).toMatchObject({ status: 'executed' })
  expect([ran(), await left()]).toEqual([2, 2])
  valueOf(await rig.gate.consents.revoke(ADMIN, consent_id))
})

test('an idempotent call is retried at once by somebody who may decide and proves it', async () => {
  const { call_id, ran } = await lose('book__keep_note')
  expect(codeOf(await rig.gate.calls.settle(AGENT, call_id, 'retry'))).toBe('auth.forbidden')
  expect(codeOf(await rig.gate.calls.settle(bob, call_id, 'retry'))).toBe('approval.passphrase_needed')
  expect(ran()).toBe(1)
  expect(codeOf(await rig.gate.calls.settle(bob, call_id, 'retry', { passphrase: PASSPHRASE }))).toBe('ok')
  expect(await rig.outcome(call_id)).toMatchObject({ status: 'executed' })
  expect(ran()).toBe(2)
})

test('the request says that it is a retry, what may have happened, and who ordered it; its inputs cannot be edited', async () => {
  const { call_id, used } = await lose('book__note', [cy])
  const approval_id = await order(dan, call_id)
  const packet = valueOf(await rig.gate.approvals.read(cy, approval_id))
  expect(packet).toMatchObject({ state: 'pending', strength: 'simple', retries: { attempt: 1, ordered_by: dan.id } })
  expect(packet.why_this).toContain('this is a retry: attempt 1, sent at 2')
  expect(packet.why_this).toContain('may already have taken effect')
  expect(packet.risk_notes).toContainEqual(expect.objectContaining({ decider: 'retry', effect: 'ask' }))
  const { edit, previewEdit } = rig.gate.approvals
  expect(codeOf(await edit(cy, approval_id, { text: 'other' }))).toBe('approval.not_editable')
  expect(codeOf(await previewEdit(cy, approval_id, { text: 'other' }))).toBe('approval.not_editable')
  const { moments } = valueOf(await readLife(rig.ports, ADMIN, call_id))
  expect(new Set(moments.map((moment) => moment.approval_id))).toEqual(new Set([undefined, used, approval_id]))
})

test('only people who may decide order it, and the requester does not approve it by ordering', async () => {
  const { call_id, ran } = await lose('book__wipe', [ada, bob])
  for (const by of [AGENT, USER])
    expect(codeOf(await rig.gate.calls.settle(by, call_id, 'retry'))).toBe('auth.forbidden')
  const approval_id = await order(ada, call_id)
  expect(valueOf(await rig.gate.approvals.read(ada, approval_id)).asked).toMatchObject({ people: 2, missing: 2 })
  expect(ran()).toBe(1)
})

/** What ends the request without a retry, and the answer to an approval afterwards. */
const ENDED: readonly (readonly [how: string, end: (lost: Lost, id: ApprovalId) => Promise<unknown>, code: string])[] =
  [
    [
      'denied',
      async (_, id) => rig.gate.approvals.decide(cy, id, { says: 'deny', reason: 'it is there' }),
      'approval.not_pending',
    ],
    ['withdrawn by its caller', async ({ call_id }) => rig.gate.calls.withdraw(AGENT, call_id), 'approval.withdrawn'],
    ['given up by its caller', async ({ call_id }) => rig.gate.calls.cancelTask(AGENT, call_id), 'approval.withdrawn'],
    ['settled as done', async ({ call_id }) => rig.gate.calls.settle(cy, call_id, 'done'), 'approval.withdrawn'],
    ['settled as failed', async ({ call_id }) => rig.gate.calls.settle(cy, call_id, 'failed'), 'approval.withdrawn'],
  ]

test.each(ENDED)(
  'a retry that is %s does not run, and the call can still be settled unless it is',
  async (how, end, code) => {
    const lost = await lose('book__note', [cy], 'lost', { as_task: true })
    const { call_id, ran } = lost
    const approval_id = await order(dan, call_id)
    expect(codeOf((await end(lost, approval_id)) as Result<unknown>)).toBe('ok')
    expect(said(await approve(cy, approval_id))).toBe(code)
    if (how.startsWith('settled')) {
      expect((await rig.outcome(call_id)).status).toBe(how === 'settled as done' ? 'executed' : 'failed')
    } else {
      expect(await rig.outcome(call_id)).toMatchObject({ status: 'unknown', problem: { code: 'call.not_retried' } })
      if (how === 'denied')
        expect(await rig.outcome(call_id)).toMatchObject({
          problem: { about: { retry: 'approval.denied', because: 'it is there' } },
        })
      // Another order is another request.
      expect(await order(dan, call_id)).not.toBe(approval_id)
      expect(codeOf(await rig.gate.calls.settle(dan, call_id, 'done'))).toBe('ok')
      expect(await rig.outcome(call_id)).toMatchObject({ status: 'executed' })
    }
    expect(ran()).toBe(1)
  },
)

test('of an approval of the retry and a settlement at once, the first one counts', async () => {
  for (const as of ['done', 'failed'] as const)
    for (let round = 0; round < 5; round += 1) {
      const { call_id, ran } = await lose('book__note', [cy])
      const approval_id = await order(dan, call_id)
      const [approved, settled] = await Promise.all([approve(cy, approval_id), rig.gate.calls.settle(dan, call_id, as)])
      const { status } = await rig.outcome(call_id)
      expect([approved.ok || settled.ok, status]).toEqual([true, settled.ok && as === 'failed' ? 'failed' : 'executed'])
      expect(ran()).toBe(settled.ok ? 1 : 2)
    }
})
