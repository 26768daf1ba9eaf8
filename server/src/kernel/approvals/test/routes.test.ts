import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { gateOf } from '../../../../test/helpers/use-gate.ts'
import type { Caller, CallerKind } from '../../contract/caller.ts'
import type { ConsentTerms } from '../../contract/consent.ts'
import type { Result } from '../../contract/problems.ts'
import { bindPorts } from '../../../main/drive-gate.ts'
import { openPorts } from '../../../main/open-ports.ts'
import {
  openTestGate,
  pendingOf,
  settingsIn,
  until,
  USER,
  type GateRig,
  approveShown,
  typedFor,
} from '../../../../test/helpers/with-gate.ts'

const APPROVALS = {
  groups: { editors: ['ada', 'bob', 'cy'], 'on-call': ['dan'], family: ['ana', 'bob'] },
  routes: [
    { id: 'quick', match: { tool: 'book__slow_note' }, group: 'editors', escalation: { after: '1s', to: 'on-call' } },
    { id: 'large', match: { tool: 'book__note', amount: { at: '/text', from: 0 } }, group: 'editors', people: 2 },
    { id: 'one', match: { tool: 'book__keep_note' }, group: 'editors' },
    { id: 'own', match: { tool: 'book__erase_note' }, group: 'family' },
  ],
}
const POLICY = `
rules:
  - { id: keep, effect: ask, match: { tool: book__keep_note }, says: somebody looks }
`
const OPTIONS = { config: { approvals: APPROVALS }, policy: POLICY }

let folder = ''
let rig: GateRig
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-routes-'))
  rig = await openTestGate(folder, OPTIONS)
})
afterAll(async () => {
  await rig.opened.close()
  rmSync(folder, { recursive: true, force: true })
})

const who = (user: string, kind: CallerKind = 'approver'): Caller => ({ kind, id: `${kind}:${user}`, user })
const [ada, bob, cy, dan] = [who('ada'), who('bob'), who('cy'), who('dan')]
let count = 0
const hold = async (tool = 'book__note', args: object = { text: `n${(count += 1)}` }) =>
  pendingOf(await rig.call(tool, args as Record<string, string>))
const keep = () => hold('book__keep_note', { title: `k${(count += 1)}`, text: 'x' })
const approve = (by: Caller, id: string) => approveShown(rig.gate, by, id)
const said = (result: Result<{ readonly state: string }>) => (result.ok ? result.value.state : result.problem.code)
const handOver = async (from: Caller, to: string, for_s = 600) => {
  const given = await rig.gate.approvals.delegate(from, { to, for_s })
  if (!given.ok) throw new Error(given.problem.code)
  return given.value.delegation_id
}

describe('two of a group', () => {
  test('a call runs after two members approved, and the packet says who is asked and how many are missing', async () => {
    const { approval_id, call_id } = await hold()
    expect(said(await approve(ada, approval_id))).toBe('pending')
    const read = await rig.gate.approvals.read(bob, approval_id)
    expect(read.ok && read.value.asked).toEqual({
      route: 'large',
      groups: [{ name: 'editors', people: ['ada', 'bob', 'cy'] }],
      people: 2,
      approved: 1,
      missing: 1,
    })
    expect(said(await approve(ada, approval_id))).toBe('approval.already_decided_by_you')
    expect(said(await approve(who('ada', 'admin'), approval_id))).toBe('approval.already_decided_by_you')
    expect(said(await approve(cy, approval_id))).toBe('approved')
    expect(await rig.outcome(call_id)).toMatchObject({ status: 'executed' })
  })

  test('people outside the group cannot see, decide, edit or reveal it; an admin can see it but not decide', async () => {
    const { approval_id } = await hold()
    const { approvals } = rig.gate
    const ways = (by: Caller): readonly Promise<Result<unknown>>[] => [
      approve(by, approval_id),
      approvals.decide(by, approval_id, { says: 'deny' }),
      approvals.edit(by, approval_id, { text: 'other' }),
      approvals.previewEdit(by, approval_id, { text: 'other' }),
      approvals.reveal(by, approval_id),
      rig.gate.consents.previewRemember(by, approval_id, { calls: 1, expires_in_s: 60 }),
    ]
    const codes = async (by: Caller) =>
      (await Promise.all(ways(by))).map((result) => (result.ok ? 'ok' : result.problem.code))
    expect(await codes(dan)).toEqual(ways(dan).map(() => 'approval.unknown'))
    expect(await codes(who('root', 'admin'))).toEqual(ways(dan).map(() => 'approval.not_asked'))
    expect((await approvals.read(dan, approval_id)).ok).toBe(false)
    expect((await approvals.read(who('root', 'admin'), approval_id)).ok).toBe(true)
    const inbox = await approvals.list(dan, 'pending', { limit: 100 })
    expect(inbox.items.filter((packet) => packet.approval_id === approval_id)).toEqual([])
    expect(rig.effects()).not.toContain('note {"text":"other"}')
  })

  test('no token is minted for it', async () => {
    const { approval_id } = await keep()
    expect(await rig.gate.approvals.issueToken(USER, approval_id)).toMatchObject({
      ok: false,
      problem: { code: 'approval.token_too_weak' },
    })
  })

  test('the requester does not count, even if one person is enough and they are in the group', async () => {
    const { approval_id } = await hold('book__erase_note', { title: 'x' })
    expect(said(await approve(who('ana'), approval_id))).toBe('approval.own_request')
    expect(said(await approve(bob, approval_id))).toBe('approved')
  })
})

describe('a consent for a routed call', () => {
  const terms = (): ConsentTerms => ({
    actor: 'caller:agent:a',
    what: { tool: 'book__*', args: [{ path: '', op: 'any' }] },
    calls: 10,
    expires_in_s: 600,
  })
  const minted = async (by: Caller) => {
    const given = await rig.gate.consents.mint(by, terms())
    if (!given.ok) throw new Error(given.problem.code)
    return async () => void (await rig.gate.consents.revoke(by, given.value.consent_id))
  }

  test.each(['dan', 'ana', 'root'])('does not cover it when %s gave it', async (user) => {
    const revoke = await minted(who(user, user === 'root' ? 'admin' : 'approver'))
    expect((await keep()).status).toBe('pending')
    await revoke()
  })

  test('covers it if a member created it, but never if two people are asked', async () => {
    const revoke = await minted(ada)
    const ran = await rig.call('book__keep_note', { title: `c${(count += 1)}`, text: 'x' })
    expect(ran.status === 'pending' ? ran.evidence : ran.status).toBe('executed')
    expect((await hold()).status).toBe('pending')
    await revoke()
  })

  test('cannot be remembered by a delegate', async () => {
    const end = await handOver(ada, 'dan')
    const { approval_id } = await keep()
    const remember = { calls: 5, expires_in_s: 600 }
    expect(said(await approveShown(rig.gate, dan, approval_id, { remember }))).toBe('consent.not_rememberable')
    await rig.gate.approvals.endDelegation(ada, end)
  })
})

describe('a delegation', () => {
  test('lets the other person see and decide, once for that seat, and is audited', async () => {
    const id = await handOver(ada, 'dan')
    const { approval_id } = await hold()
    expect((await rig.gate.approvals.read(dan, approval_id)).ok).toBe(true)
    expect(said(await approve(dan, approval_id))).toBe('pending')
    expect(said(await approve(ada, approval_id))).toBe('approval.decided_for_you')
    expect(said(await approve(bob, approval_id))).toBe('approved')
    await rig.gate.approvals.endDelegation(ada, id)
    const types = (await rig.gate.audit.page(undefined, 1, 5_000)).map(({ type }) => type)
    expect(types).toEqual(expect.arrayContaining(['delegation.given', 'delegation.ended']))
  })

  test('cannot be passed on, and nobody can delegate somebody else`s seat', async () => {
    const ids = [await handOver(ada, 'dan'), await handOver(dan, 'fay')]
    const { approval_id } = await keep()
    expect(said(await approve(who('fay'), approval_id))).toBe('approval.unknown')
    await rig.gate.approvals.endDelegation(ada, ids[0] ?? '')
    await rig.gate.approvals.endDelegation(dan, ids[1] ?? '')
  })

  test('ends when its giver, its receiver or an admin ends it, and nobody else can', async () => {
    for (const by of [ada, dan, who('root', 'admin')]) {
      const id = await handOver(ada, 'dan')
      expect((await rig.gate.approvals.endDelegation(who('eve'), id)).ok).toBe(false)
      expect((await rig.gate.approvals.endDelegation(by, id)).ok).toBe(true)
      const { approval_id } = await keep()
      expect(said(await approve(dan, approval_id))).toBe('approval.unknown')
    }
  })

  test('expires', async () => {
    await handOver(ada, 'dan', 1)
    const { approval_id } = await keep()
    await until(async () => (await rig.gate.approvals.delegations(ada)).ok && !(await stands('dan')))
    expect(said(await approve(dan, approval_id))).toBe('approval.unknown')
    await until(async () => (await types()).includes('delegation.expired'))
  })

  test('is only for approvers, and not to oneself', async () => {
    const { delegate } = rig.gate.approvals
    expect((await delegate(who('bot', 'agent'), { to: 'dan', for_s: 60 })).ok).toBe(false)
    expect((await delegate(who('ana', 'user'), { to: 'dan', for_s: 60 })).ok).toBe(false)
    expect((await delegate(ada, { to: 'ada', for_s: 60 })).ok).toBe(false)
  })
})

const stands = async (user: string) => {
  const listed = await rig.gate.approvals.delegations(ada)
  return listed.ok && listed.value.some(({ to }) => to === user)
}
const types = async () => (await rig.gate.audit.page(undefined, 1, 5_000)).map(({ type }) => type)

test('an escalation also asks the other group, once, and is reported', async () => {
  const before = Date.now()
  const { approval_id, call_id } = await hold('book__slow_note', { text: 'slow' })
  const early = said(await approve(dan, approval_id))
  // On a busy machine the second can be over already.
  if (Date.now() - before < 1_000) expect(early).toBe('approval.unknown')
  await until(async () => (await rig.gate.approvals.read(dan, approval_id)).ok)
  expect(early === 'approved' ? early : said(await approve(dan, approval_id))).toBe('approved')
  expect(await rig.outcome(call_id)).toMatchObject({ status: 'executed' })
  expect((await types()).filter((type) => type === 'approval.escalated')).toHaveLength(1)
})

test('an edited request asks the people of its new inputs, and earlier approvals do not count', async () => {
  const { approval_id } = await hold()
  expect(said(await approve(ada, approval_id))).toBe('pending')
  const edited = await rig.gate.approvals.edit(bob, approval_id, { text: 'edited' })
  if (!edited.ok) throw new Error(edited.problem.code)
  expect(edited.value).toMatchObject({ route: { id: 'large', people: 2 }, decisions: [] })
  expect(said(await approve(bob, edited.value.approval_id))).toBe('pending')
})

test('an approval by fewer people than are asked when the call would start is stale', async () => {
  const own = mkdtempSync(join(tmpdir(), 'sluice-routes-later-'))
  try {
    const unrouted = await openTestGate(own, { policy: POLICY })
    const { approval_id, call_id } = pendingOf(await unrouted.call('book__note', { text: 'before' }))
    await unrouted.opened.close()
    // Without the driver the decision is recorded, but nothing executes it yet.
    const options = { log: () => {}, url: () => 'http://gate.test' }
    const opened = await openPorts(settingsIn(own, { policy: POLICY }), options, false)
    if (!opened.ok) throw new Error(opened.problem.code)
    await opened.value.settled
    const decided = await approveShown(gateOf(bindPorts(opened.value.ports)), dan, approval_id)
    expect(said(decided)).toBe('approved')
    await opened.value.close()
    const later = await openTestGate(own, OPTIONS)
    expect(await later.outcome(call_id)).toMatchObject({ status: 'refused', problem: { code: 'approval.stale' } })
    expect(later.effects()).toEqual([])
    await later.opened.close()
  } finally {
    rmSync(own, { recursive: true, force: true })
  }
})

test('a delegation that ends between judging and recording a decision invalidates the decision', async () => {
  const own = mkdtempSync(join(tmpdir(), 'sluice-routes-ended-'))
  const options = { log: () => {}, url: () => 'http://gate.test' }
  const opened = await openPorts(settingsIn(own, OPTIONS), options, true)
  if (!opened.ok) throw new Error(opened.problem.code)
  const { ports, settled, close } = opened.value
  try {
    await settled
    const gate = gateOf(bindPorts(ports))
    const given = await gate.approvals.delegate(ada, { to: 'dan', for_s: 600 })
    const id = given.ok ? given.value.delegation_id : ''
    const caller: Caller = { kind: 'agent', id: 'agent:a', user: 'ana' }
    const called = await gate.calls.dispatch({ caller, tool: 'book__note', args: { text: 'x' }, thread: 't1' })
    const { approval_id } = pendingOf(called)
    let ended: Promise<unknown> | undefined
    const ledger: typeof ports.ledger = {
      async commit(changes) {
        const isDecision = changes.some((change) => change.kind === 'swap' && change.table === 'approvals')
        if (isDecision) await (ended ??= gate.approvals.endDelegation(ada, id))
        return ports.ledger.commit(changes)
      },
    }
    const shown = await gate.approvals.read(ada, approval_id)
    const { digest, typed } = shown.ok ? { ...shown.value, typed: typedFor(shown.value) } : { digest: '', typed: '' }
    const racing = gateOf(bindPorts({ ...ports, ledger }))
    const late = racing.approvals.decide(dan, approval_id, { says: 'approve', digest, typed })
    expect(said(await late)).toBe('approval.unknown')
    const packet = await gate.approvals.read(ada, approval_id)
    expect(packet.ok && packet.value.decisions).toEqual([])
  } finally {
    await close()
    rmSync(own, { recursive: true, force: true })
  }
})
