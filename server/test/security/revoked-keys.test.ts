import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { executeFlowStep } from '../../src/guests/flows/execute-flow-step.ts'
import { mintFlowConsent } from '../../src/guests/flows/mint-flow-consent.ts'
import { startFlowRun } from '../../src/guests/flows/start-flow-run.ts'
import { importFlow } from '../../src/guests/flows/import-flow.ts'
import { bindPorts } from '../../src/main/drive-gate.ts'
import { openPorts } from '../../src/main/open-ports.ts'
import { gateOf, type Gate } from '../helpers/use-gate.ts'
import type { Change } from '../../src/kernel/ports/ledger.ts'
import type { NewCredential } from '../../src/kernel/identity/credentials.ts'
import type { Caller } from '../../src/kernel/contract/caller.ts'
import type { KeyId } from '../../src/kernel/contract/ids.ts'
import { bundleOf, FLOW_CONFIG, ON, PACK, prepareFlows } from '../../src/guests/flows/test/flow-samples.suite.ts'
import { ADMIN, approveShown, openTestGate, pendingOf, settingsIn, until, type GateRig } from '../helpers/with-gate.ts'
import { valueOf } from '../../src/guests/toolflow/test/with-flows.suite.ts'

/** What a key granted or half-decided ends when the key is revoked, unless an admin keeps it. */
const OPTIONS = {
  policy: `
rules:
  - { id: two, effect: ask, strength: two_person, match: { tool: book__wipe }, says: two people }
`,
  config: {
    ...FLOW_CONFIG,
    approvals: {
      groups: { editors: ['ada', 'bob', 'cy'] },
      routes: [{ id: 'large', match: { tool: 'book__slow_note' }, group: 'editors', people: 2 }],
    },
  },
}

type Keyed = { readonly caller: Caller; readonly key_id: KeyId }
async function keyOf(gate: Gate, wanted: NewCredential): Promise<Keyed> {
  const { key, row } = valueOf(await gate.identity.createCredential(ADMIN, wanted))
  return { caller: valueOf(await gate.identity.authenticate(key)), key_id: row.key_id }
}
const approver = (gate: Gate, user: string, name = user) =>
  keyOf(gate, { kind: 'approver', name, user, flow_role: 'editor' })

let folder = ''
let rig: GateRig
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-revoked-'))
  prepareFlows(folder, join(folder, 'data'), ON)
  rig = await openTestGate(folder, OPTIONS)
})
afterAll(async () => {
  await rig.opened.close()
  rmSync(folder, { recursive: true, force: true })
})

let count = 0
const next = (): string => `n${(count += 1)}`
const hold = async (tool: string) => pendingOf(await rig.call(tool, { text: next() }))
const isExecuted = async (tool: string) => (await rig.call(tool, { text: next() })).status === 'executed'

/** Gives something with a key. Returns its name in `keys revoke`, and whether it still has an effect. */
type Given = { readonly id: string; readonly works: () => Promise<boolean> }
type Grant = { readonly what: string; readonly give: (by: Keyed) => Promise<Given> }

const consent = async (id: string, tool: string): Promise<Given> => ({ id, works: () => isExecuted(tool) })
const secondWord = (approval_id: string): Given => ({
  id: approval_id,
  async works() {
    const { caller } = await approver(rig.gate, 'bob')
    return valueOf(await approveShown(rig.gate, caller, approval_id)).state === 'approved'
  },
})

const GRANTS: Readonly<Record<string, Grant>> = {
  'a consent': {
    what: 'consent',
    async give({ caller }) {
      const what = { tool: 'book__note', args: [{ path: '/text' as const, op: 'any' as const }] }
      const terms = { actor: 'caller:agent:a' as const, what, calls: 9, expires_in_s: 600 }
      return consent(valueOf(await rig.gate.consents.mint(caller, terms)).consent_id, 'book__note')
    },
  },
  'a consent that was remembered with an approval': {
    what: 'consent',
    async give({ caller }) {
      const { approval_id } = await hold('book__note')
      const remember = { calls: 9, expires_in_s: 600, args: [{ path: '/text' as const, op: 'any' as const }] }
      const decided = valueOf(await approveShown(rig.gate, caller, approval_id, { remember }))
      return consent(String(decided.consent?.consent_id), 'book__note')
    },
  },
  'the first of two approvals': {
    what: 'approval',
    async give({ caller }) {
      const { approval_id } = await hold('book__wipe')
      valueOf(await approveShown(rig.gate, caller, approval_id))
      return secondWord(approval_id)
    },
  },
  'the first of two approvals of a group': {
    what: 'approval',
    async give({ caller }) {
      const { approval_id } = await hold('book__slow_note')
      valueOf(await approveShown(rig.gate, caller, approval_id))
      return secondWord(approval_id)
    },
  },
  'an approval in the place of somebody who delegated': {
    what: 'approval',
    async give({ caller }) {
      const { approval_id } = await hold('book__slow_note')
      const dan = await approver(rig.gate, 'dan')
      valueOf(await rig.gate.approvals.delegate(caller, { to: 'dan', for_s: 600 }))
      valueOf(await approveShown(rig.gate, dan.caller, approval_id))
      return secondWord(approval_id)
    },
  },
  'a delegation': {
    what: 'delegation',
    async give({ caller }) {
      const eve = await approver(rig.gate, 'eve')
      const { delegation_id } = valueOf(await rig.gate.approvals.delegate(caller, { to: 'eve', for_s: 600 }))
      return {
        id: delegation_id,
        works: async () => (await approveShown(rig.gate, eve.caller, (await hold('book__slow_note')).approval_id)).ok,
      }
    },
  },
  'a consent for a flow run': {
    what: 'flow_consent',
    async give({ caller }) {
      const flow_id = `flow_${next()}`
      const step = { automatable: 'automatable', skills: [PACK], required: true, job: 'note' } as const
      valueOf(await importFlow(rig.ports, ADMIN, bundleOf(flow_id, [step, step])))
      const her = await keyOf(rig.gate, { kind: 'agent', name: 'hers', user: caller.user, flow_role: 'editor' })
      const { run } = valueOf(await startFlowRun(rig.ports, her.caller, { flow_id }))
      const wanted = { run_id: run.run_id, allowed_lanes: ['local_default'], cost_cap_units: 9 }
      const { consent_id } = valueOf(await mintFlowConsent(rig.ports, caller, wanted)).consent
      const asked = { run_id: run.run_id, step_id: `${flow_id}#1`, consent_id }
      return { id: consent_id, works: async () => (await executeFlowStep(rig.ports, her.caller, asked)).ok }
    },
  },
}

describe.each(Object.entries(GRANTS))('%s', (_, { what, give }) => {
  test('ends with its key, which says so before and after', async () => {
    const by = await approver(rig.gate, 'ada')
    const { id, works } = await give(by)
    const named = expect.objectContaining({ what, id, ends: true }) as object
    expect(valueOf(await rig.gate.identity.keyGrants(ADMIN, by.key_id))).toContainEqual(named)
    expect(valueOf(await rig.gate.identity.revokeCredential(ADMIN, by.key_id)).grants).toContainEqual(named)
    expect(await works()).toBe(false)
  })

  test('stays while its key is valid, and if an admin keeps it, until the admin ends it after all', async () => {
    const by = await approver(rig.gate, 'ada')
    const { id, works } = await give(by)
    const kept = valueOf(await rig.gate.identity.revokeCredential(ADMIN, by.key_id, true))
    expect(kept.grants).toContainEqual(expect.objectContaining({ what, id, ends: false }) as object)
    expect(await works()).toBe(true)
    valueOf(await rig.gate.identity.revokeCredential(ADMIN, by.key_id))
    const other = await approver(rig.gate, 'ada')
    const again = await give(other)
    valueOf(await rig.gate.identity.revokeCredential(ADMIN, other.key_id, true))
    valueOf(await rig.gate.identity.revokeCredential(ADMIN, other.key_id))
    expect(await again.works()).toBe(false)
  })
})

test('an approval whose key was revoked can be given again by the same person, and is shown as ended', async () => {
  const first = await approver(rig.gate, 'ada')
  const { approval_id, call_id } = await hold('book__slow_note')
  valueOf(await approveShown(rig.gate, first.caller, approval_id))
  await rig.gate.identity.revokeCredential(ADMIN, first.key_id)
  const packet = valueOf(await rig.gate.approvals.read(ADMIN, approval_id))
  expect(packet.asked).toMatchObject({ approved: 0, missing: 2 })
  expect(packet.decisions).toMatchObject([{ user: 'ada', ended_at: expect.any(Number) as number }])
  for (const user of ['ada', 'bob']) {
    const { caller } = await approver(rig.gate, user)
    valueOf(await approveShown(rig.gate, caller, approval_id))
  }
  expect(await rig.outcome(call_id)).toMatchObject({ status: 'executed' })
})

test('an approved call that has not started is not executed after a key behind it was revoked', async () => {
  const own = mkdtempSync(join(tmpdir(), 'sluice-revoked-approved-'))
  prepareFlows(own, join(own, 'data'), ON)
  try {
    const before = await openTestGate(own, OPTIONS)
    const { approval_id, call_id } = pendingOf(await before.call('book__note', { text: 'x' }))
    await before.opened.close()
    // Without the driver the decision is recorded, but nothing executes it yet.
    const opened = await openPorts(settingsIn(own, OPTIONS), { log: () => {}, url: () => 'http://gate.test' }, false)
    if (!opened.ok) throw new Error(opened.problem.code)
    await opened.value.settled
    const gate = gateOf(bindPorts(opened.value.ports))
    const { caller, key_id } = await approver(gate, 'ada')
    expect(valueOf(await approveShown(gate, caller, approval_id)).state).toBe('approved')
    valueOf(await gate.identity.revokeCredential(ADMIN, key_id))
    await opened.value.close()
    const later = await openTestGate(own, OPTIONS)
    expect(await later.outcome(call_id)).toMatchObject({
      status: 'refused',
      problem: { code: 'approval.stale', about: { because: 'the key of an approver was revoked' } },
    })
    expect(later.effects()).toEqual([])
    await later.opened.close()
  } finally {
    rmSync(own, { recursive: true, force: true })
  }
})

/** A gate in which something is done immediately before the next commit that starts a call. */
async function withRacer(use: (rig: GateRig, before: (act: () => Promise<unknown>) => void) => Promise<void>) {
  const own = mkdtempSync(join(tmpdir(), 'sluice-revoked-race-'))
  prepareFlows(own, join(own, 'data'), ON)
  let pending: (() => Promise<unknown>) | undefined
  const starts = (change: Change) =>
    change.kind === 'swap' && change.table === 'calls' && change.to.state === 'executing'
  const racing = await openTestGate(own, {
    ...OPTIONS,
    around: {
      ledger: (ledger) => ({
        ...ledger,
        async commit(changes) {
          const act = changes.some(starts) ? pending : undefined
          if (act !== undefined) pending = undefined
          await act?.()
          return ledger.commit(changes)
        },
      }),
    },
  })
  try {
    await use(racing, (act) => void (pending = act))
  } finally {
    await racing.opened.close()
    rmSync(own, { recursive: true, force: true })
  }
}

describe('a key that is revoked between the decision about a call and its start', () => {
  test('whose consent the call would use: the call is held', async () => {
    await withRacer(async ({ gate, call, effects }, before) => {
      const { caller, key_id } = await approver(gate, 'ada')
      const what = { tool: 'book__note', args: [{ path: '/text' as const, op: 'any' as const }] }
      valueOf(await gate.consents.mint(caller, { actor: 'caller:agent:a', what, calls: 9, expires_in_s: 600 }))
      before(() => gate.identity.revokeCredential(ADMIN, key_id))
      pendingOf(await call('book__note', { text: 'x' }))
      expect(effects()).toEqual([])
    })
  })

  test('that approved it: the call is refused', async () => {
    await withRacer(async ({ gate, call, effects, outcome }, before) => {
      const { caller, key_id } = await approver(gate, 'ada')
      const { approval_id, call_id } = pendingOf(await call('book__note', { text: 'x' }))
      before(() => gate.identity.revokeCredential(ADMIN, key_id))
      valueOf(await approveShown(gate, caller, approval_id))
      expect(await outcome(call_id)).toMatchObject({ status: 'refused', problem: { code: 'approval.stale' } })
      expect(effects()).toEqual([])
    })
  })
})

test('a login ends with its key', async () => {
  const { caller, key_id } = await approver(rig.gate, 'ada')
  const { secret } = valueOf(await rig.gate.identity.logIn(caller, 'key', { current: undefined }))
  const { grants } = valueOf(await rig.gate.identity.revokeCredential(ADMIN, key_id, true))
  expect(grants).toMatchObject([{ what: 'login', ends: true }])
  expect(await rig.gate.identity.readLogin(secret)).toMatchObject({ problem: { code: 'auth.logged_out' } })
})

test('keys that a revoked key created are named, and stay', async () => {
  const boss = await keyOf(rig.gate, { kind: 'admin', name: 'boss' })
  const { row } = valueOf(await rig.gate.identity.createCredential(boss.caller, { kind: 'agent', name: 'made' }))
  const { grants } = valueOf(await rig.gate.identity.revokeCredential(ADMIN, boss.key_id))
  expect(grants).toEqual([{ what: 'key', id: row.key_id, says: 'agent:made of made', ends: false }])
})

describe('a call that an agent made with a key that is then revoked', () => {
  const agent = (more: Partial<NewCredential> = {}) =>
    keyOf(rig.gate, { kind: 'agent', name: 'rotated', user: 'ana', ...more })
  const approve = async (id: string) =>
    valueOf(await approveShown(rig.gate, { kind: 'approver', id: 'approver:zoe', user: 'zoe' }, id))

  /** Which other keys there are: made before and after the revocation. */
  const OTHERS: readonly [string, (() => Promise<Keyed>)[], (() => Promise<Keyed>)[], 'executed' | 'refused'][] = [
    ['no other key', [], [], 'refused'],
    ['one that was created before', [() => agent()], [], 'executed'],
    ['one that was created before and grants more', [() => agent({ speaks_for_user: true })], [], 'executed'],
    ['one that is created afterwards', [], [() => agent()], 'refused'],
    ['one with a smaller grant', [() => agent({ tools: ['book__note'] })], [], 'refused'],
    ['one of another name', [() => agent({ name: 'other' })], [], 'refused'],
    ['one of another user', [() => agent({ user: 'bob' })], [], 'refused'],
    ['one of a person', [() => keyOf(rig.gate, { kind: 'user', name: 'rotated', user: 'ana' })], [], 'refused'],
  ]

  test.each(OTHERS)('with %s', async (_, before, after, expected) => {
    const made: Keyed[] = []
    const old = await agent()
    const { approval_id, call_id } = pendingOf(await rig.call('book__note', { text: next() }, { caller: old.caller }))
    for (const create of before) made.push(await create())
    const { grants, revoked_at } = valueOf(await rig.gate.identity.revokeCredential(ADMIN, old.key_id))
    expect(grants).toMatchObject([{ what: 'held_call', id: call_id, ends: expected === 'refused' }])
    await until(() => Date.now() > (revoked_at ?? 0))
    for (const create of after) made.push(await create())
    await approve(approval_id)
    expect(await rig.outcome(call_id)).toMatchObject({ status: expected })
    for (const { key_id } of made) await rig.gate.identity.revokeCredential(ADMIN, key_id)
  })

  test('is refused if the key that replaced it is revoked, too', async () => {
    const old = await agent()
    const { approval_id, call_id } = pendingOf(await rig.call('book__note', { text: next() }, { caller: old.caller }))
    const successor = await agent()
    for (const { key_id } of [old, successor]) await rig.gate.identity.revokeCredential(ADMIN, key_id)
    await approve(approval_id)
    expect(await rig.outcome(call_id)).toMatchObject({
      problem: { code: 'approval.stale', about: { because: 'credential.revoked' } },
    })
  })

  test('is not started again with it: a new call needs a valid key', async () => {
    const old = await agent()
    const successor = await agent()
    await rig.gate.identity.revokeCredential(ADMIN, old.key_id)
    const late = await rig.call('book__look', {}, { caller: old.caller })
    expect(late).toMatchObject({
      status: 'refused',
      problem: { code: 'call.blocked' },
    })
    expect(await rig.call('book__look', {}, { caller: successor.caller })).toMatchObject({ status: 'executed' })
    await rig.gate.identity.revokeCredential(ADMIN, successor.key_id)
  })
})
