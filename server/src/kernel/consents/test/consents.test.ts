import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { driveGate } from '../../../main/drive-gate.ts'
import { openPorts } from '../../../main/open-ports.ts'
import { gateOf, type Gate } from '../../../../test/helpers/use-gate.ts'
import type { Change } from '../../ports/ledger.ts'
import { CONSENT_LIMITS, type ConsentRow, type ConsentTerms } from '../../contract/consent.ts'
import type { Result } from '../../contract/problems.ts'
import {
  ADMIN,
  AGENT,
  APPROVER,
  BOOK_TOOLS,
  effectsIn,
  openTestGate,
  pendingOf,
  settingsIn,
  USER,
  withGate,
  approveShown,
} from '../../../../test/helpers/with-gate.ts'

const TERMS: ConsentTerms = {
  actor: 'caller:agent:a',
  what: { tool: 'book__note', args: [{ path: '/text', op: 'prefix', value: 'x' }] },
  calls: 2,
  expires_in_s: 60,
}

function given<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.problem))
  return result.value
}
const mint = async (gate: Gate, more: Partial<ConsentTerms> = {}) =>
  given(await gate.consents.mint(APPROVER, { ...TERMS, ...more }))
const leftOf = async (gate: Gate, { consent_id }: ConsentRow) =>
  (await gate.consents.list(ADMIN, { limit: 200 })).items.find((item) => item.consent_id === consent_id)
const spentBy = async (gate: Gate, { consent_id }: ConsentRow) =>
  (await gate.audit.page(undefined, 1, 5000)).filter(
    ({ type, subject }) => type === 'call.started' && subject['consent'] === consent_id,
  )

describe('approve and remember', () => {
  test('a held call is approved and remembered; the next calls run at once; after the consent is used up, calls are held again', async () => {
    await withGate(async ({ gate, call, effects, outcome }) => {
      const held = pendingOf(await call('book__note', { text: 'x' }))
      const remember = { calls: 2, expires_in_s: 60 }
      const decided = given(await approveShown(gate, APPROVER, held.approval_id, { remember }))
      expect(decided).toMatchObject({ state: 'approved', consent: { from_approval: held.approval_id, calls: 2 } })
      expect(await outcome(held.call_id)).toMatchObject({ status: 'executed' })
      const { consent } = decided
      if (consent === undefined) throw new Error('there is no consent')
      expect(await leftOf(gate, consent)).toMatchObject({ calls_left: 2, state: 'active' })

      expect(await call('book__note', { text: 'x' })).toMatchObject({ status: 'executed' })
      pendingOf(await call('book__note', { text: 'y' }))
      pendingOf(await call('book__note', { text: 'x' }, { caller: { ...AGENT, id: 'agent:b' } }))
      expect(await call('book__note', { text: 'x' })).toMatchObject({ status: 'executed' })
      expect(await leftOf(gate, consent)).toMatchObject({ calls_left: 0, state: 'exhausted' })
      pendingOf(await call('book__note', { text: 'x' }))
      expect(effects()).toHaveLength(3)

      const spent = await spentBy(gate, consent)
      expect(spent).toHaveLength(2)
      expect(spent[0]?.verdict).toMatchObject({
        effect: 'allow',
        evidence: [
          { decider: 'policy', effect: 'ask' },
          { decider: 'consent', rule: consent.consent_id },
        ],
      })
      expect(await gate.audit.verify([])).toMatchObject({ ok: true })
    })
  })

  test('the approver chooses what may vary, and a choice that does not cover the approved call is rejected', async () => {
    await withGate(async ({ gate, call }) => {
      const held = pendingOf(await call('book__note', { text: 'x1', ms: 5 }))
      const bounds = { calls: 5, expires_in_s: 60 }
      const decide = (args: ConsentTerms['what']['args']) =>
        approveShown(gate, APPROVER, held.approval_id, { remember: { ...bounds, args } })
      const foreign = await decide([
        { path: '/text', op: 'equals', value: 'other' },
        { path: '/ms', op: 'any' },
      ])
      expect(foreign).toMatchObject({ problem: { code: 'consent.not_the_call' } })
      expect(await decide([{ path: '/text', op: 'any' }])).toMatchObject({ problem: { code: 'consent.not_the_call' } })
      expect(await gate.approvals.read(APPROVER, held.approval_id)).toMatchObject({ value: { state: 'pending' } })
      expect((await gate.consents.list(ADMIN, { limit: 10 })).items).toEqual([])

      given(
        await decide([
          { path: '/text', op: 'prefix', value: 'x' },
          { path: '/ms', op: 'max', value: 10 },
        ]),
      )
      expect(await call('book__note', { text: 'x2', ms: 10 })).toMatchObject({ status: 'executed' })
      pendingOf(await call('book__note', { text: 'x2', ms: 11 }))
      pendingOf(await call('book__note', { text: 'x2' }))
      pendingOf(await call('book__note', { text: 'x2', ms: 1, dry_run: false }))
    })
  })

  test('a two-person request, or one with other reasons than the policy, is approved without a consent', async () => {
    const server = { tools: { ...BOOK_TOOLS, wipe: { effects: ['privileged'] } } }
    await withGate(
      async ({ gate, call }) => {
        const remember = { calls: 2, expires_in_s: 60 }
        await gate.identity.createCredential(ADMIN, { kind: 'approver', name: 'bob' })
        const critical = pendingOf(await call('book__wipe', { text: 'x' }))
        expect(await approveShown(gate, APPROVER, critical.approval_id, { remember })).toMatchObject({
          problem: { code: 'consent.not_rememberable' },
        })
        await gate.pauses.set(ADMIN, { scope: 'all', effect: 'ask', active: true, reason: '' })
        const paused = pendingOf(await call('book__note', { text: 'x' }))
        expect(await approveShown(gate, APPROVER, paused.approval_id, { remember })).toMatchObject({
          problem: { code: 'consent.not_rememberable', about: { rules: expect.stringContaining('pause') as string } },
        })
        expect(await gate.approvals.read(APPROVER, critical.approval_id)).toMatchObject({
          value: { state: 'pending', decisions: [] },
        })
      },
      { server, policy: 'preset: careful' },
    )
  })
})

describe('a consent', () => {
  test('does not apply during a pause, and applies again when it is lifted', async () => {
    await withGate(async ({ gate, call }) => {
      await mint(gate)
      const pause = { scope: 'all', effect: 'ask', reason: '' } as const
      await gate.pauses.set(ADMIN, { ...pause, active: true })
      pendingOf(await call('book__note', { text: 'x' }))
      await gate.pauses.set(ADMIN, { ...pause, active: false })
      expect(await call('book__note', { text: 'x' })).toMatchObject({ status: 'executed' })
    })
  })

  test('with a cost limit is used up by the cost of the called tools', async () => {
    const server = { tools: { ...BOOK_TOOLS, note: { effects: ['write'], cost: 4 } } }
    await withGate(
      async ({ gate, call }) => {
        const consent = await mint(gate, { calls: 10, cost: 10 })
        for (const text of ['x1', 'x2'])
          expect(await call('book__note', { text })).toMatchObject({ status: 'executed' })
        pendingOf(await call('book__note', { text: 'x3' }))
        expect(await leftOf(gate, consent)).toMatchObject({ calls_left: 8, cost_left: 2, state: 'active' })
      },
      { server },
    )
  })

  test('does not allow a dry run, because dry runs spend nothing and would be unlimited', async () => {
    const server = { tools: { ...BOOK_TOOLS, note: { effects: ['write'], dry_run: { args: { dry_run: true } } } } }
    await withGate(
      async ({ gate, call }) => {
        const consent = await mint(gate)
        for (const dry_run of ['only', 'first'] as const)
          expect(await call('book__note', { text: 'x' }, { dry_run })).toMatchObject({
            problem: { code: 'call.no_dry_run' },
          })
        expect(await leftOf(gate, consent)).toMatchObject({ calls_left: 2 })
        expect(await call('book__note', { text: 'x' })).toMatchObject({ status: 'executed' })
      },
      { server },
    )
  })

  test('does not weaken an edited request: it still waits for a person, with the same strength', async () => {
    await withGate(async ({ gate, call }) => {
      const held = pendingOf(await call('book__slow_note', { text: 'before' }))
      await mint(gate, { what: { tool: 'book__*', args: [{ path: '', op: 'any' }] } })
      expect(await gate.approvals.edit(APPROVER, held.approval_id, { text: 'after' })).toMatchObject({
        value: { state: 'pending', strength: 'strong' },
      })
    })
  })

  test('is created and revoked by approvers and admins, and also visible to its user', async () => {
    await withGate(async ({ gate, call }) => {
      const others = (['agent', 'user', 'reviewer', 'node'] as const).map((kind) => ({ ...AGENT, kind }))
      for (const other of others)
        expect(await gate.consents.mint(other, TERMS)).toMatchObject({ problem: { code: 'auth.forbidden' } })
      const [forCaller, forUser] = [await mint(gate), await mint(gate, { actor: 'user:ana' })]
      for (const other of others)
        expect(await gate.consents.revoke(other, forUser.consent_id)).toMatchObject({
          problem: { code: 'auth.forbidden' },
        })
      const seenBy = async (caller: typeof AGENT) =>
        (await gate.consents.list(caller, { limit: 10 })).items.map(({ consent_id }) => consent_id)
      expect(await seenBy(AGENT)).toEqual([])
      expect(await seenBy(USER)).toEqual([forUser.consent_id])
      expect(await seenBy(APPROVER)).toEqual([forUser.consent_id, forCaller.consent_id])

      expect(given(await gate.consents.revoke(ADMIN, forUser.consent_id))).toMatchObject({ revoked_by: 'admin:local' })
      given(await gate.consents.revoke(APPROVER, forCaller.consent_id))
      expect(await gate.consents.revoke(ADMIN, `cons_${'0'.repeat(24)}`)).toMatchObject({
        problem: { code: 'consent.unknown' },
      })
      pendingOf(await call('book__note', { text: 'x' }))
      const types = (await gate.audit.page(undefined, 1, 1000)).map(({ type }) => type)
      expect(types.filter((type) => type.startsWith('consent.'))).toEqual([
        'consent.minted',
        'consent.minted',
        'consent.revoked',
        'consent.revoked',
      ])
    })
  })

  test('counts towards a limit of active consents, and used-up ones do not count', async () => {
    await withGate(async ({ gate, call }) => {
      const consents: ConsentRow[] = []
      for (let n = 0; n < CONSENT_LIMITS.active; n++) consents.push(await mint(gate, { calls: 1 }))
      expect(await gate.consents.mint(APPROVER, TERMS)).toMatchObject({ problem: { code: 'consent.too_many' } })
      await mint(gate, { actor: 'caller:agent:b' })
      expect(await call('book__note', { text: 'x' })).toMatchObject({ status: 'executed' })
      await mint(gate)
      expect(await gate.consents.mint(APPROVER, TERMS)).toMatchObject({ problem: { code: 'consent.too_many' } })
      given(await gate.consents.revoke(APPROVER, consents.at(-1)?.consent_id ?? ''))
      await mint(gate)
    })
  })
})

type Interposed = { gate: Gate; folder: string; before: (change: (gate: Gate) => Promise<unknown>) => void }

/** A gate on a real ledger. `before` runs between the next decision to use a consent and its commit. */
async function withInterposed(use: (rig: Interposed) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-consents-'))
  const opened = given(await openPorts(settingsIn(folder), { log: () => {}, url: () => 'http://gate.test' }, true))
  await opened.settled
  let pending: ((gate: Gate) => Promise<unknown>) | undefined
  const { ledger } = opened.ports
  const spends = (change: Change) => change.kind === 'spend' && change.account.startsWith('consent:')
  const slow: typeof ledger = {
    ...ledger,
    async commit(changes) {
      const act = pending
      if (act !== undefined && changes.some(spends)) {
        pending = undefined
        await act(direct)
      }
      return ledger.commit(changes)
    },
  }
  const { ports: fast, scheduler: first } = driveGate(opened.ports, () => {})
  const { ports, scheduler: second } = driveGate({ ...opened.ports, ledger: slow }, () => {})
  const [direct, gate] = [gateOf({ ports: fast }), gateOf({ ports })]
  try {
    await use({ gate, folder, before: (act) => void (pending = act) })
  } finally {
    await first.stop()
    await second.stop()
    await opened.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

describe('between the decision and its commit', () => {
  const note = (gate: Gate, text: string) =>
    gate.calls.dispatch({ caller: AGENT, tool: 'book__note', args: { text }, thread: 't1' })

  test('revoking the consent wins: the call is held, nothing runs and nothing is spent', async () => {
    await withInterposed(async ({ gate, folder, before }) => {
      const consent = await mint(gate)
      before((direct) => direct.consents.revoke(ADMIN, consent.consent_id))
      const held = pendingOf(await note(gate, 'x'))
      expect(held.evidence).not.toContainEqual(expect.objectContaining({ decider: 'consent' }))
      expect(effectsIn(folder)).toEqual([])
      expect(await leftOf(gate, consent)).toMatchObject({ calls_left: 2, state: 'revoked' })
      expect(await gate.approvals.read(APPROVER, held.approval_id)).toMatchObject({
        value: { preview: { content: [{ text: 'would note' }] } },
      })
    })
  })

  test('if another call takes the last unit, a second consent is used', async () => {
    await withInterposed(async ({ gate, folder, before }) => {
      const first = await mint(gate, { calls: 1, expires_in_s: 40 })
      before((direct) => note(direct, 'x1'))
      pendingOf(await note(gate, 'x2'))
      expect(effectsIn(folder)).toEqual(['note {"text":"x1"}'])
      const [second, third] = [await mint(gate, { calls: 1, expires_in_s: 50 }), await mint(gate, { calls: 1 })]
      before((direct) => note(direct, 'x3'))
      expect(await note(gate, 'x4')).toMatchObject({ status: 'executed' })
      for (const consent of [first, second, third])
        expect(await leftOf(gate, consent)).toMatchObject({ calls_left: 0, state: 'exhausted' })
    })
  })
})

describe('an interrupted call that ran under a consent', () => {
  const policy = 'rules: [{ id: ask, effect: ask, match: { tool: book__note_again }, says: ask }]'
  const what = { tool: 'book__note_again', args: [{ path: '', op: 'any' }] } satisfies ConsentTerms['what']

  async function interrupt(folder: string, then: (gate: Gate, consent: ConsentRow) => Promise<unknown>) {
    let isInterrupted = false
    const probe = (point: string) => {
      if (point !== 'upstream.after' || isInterrupted) return
      isInterrupted = true
      throw new Error('interrupted')
    }
    const { gate, call, opened } = await openTestGate(folder, { policy, probe })
    const consent = await mint(gate, { what, calls: 1 })
    await expect(call('book__note_again', { text: 'x' })).rejects.toThrow('interrupted')
    await then(gate, consent)
    await opened.close()
    return consent
  }

  async function inFolder(use: (folder: string) => Promise<void>) {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-consents-'))
    try {
      await use(folder)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  const startedIn = async (gate: Gate) =>
    (await gate.audit.page(undefined, 1, 1000)).find(({ type }) => type === 'call.started')?.subject['call'] ?? ''

  test('is retried with the unit it has already spent, although none is left', async () => {
    await inFolder(async (folder) => {
      const consent = await interrupt(folder, async () => {})
      const { gate, outcome, opened, effects } = await openTestGate(folder, { policy })
      expect(await outcome(await startedIn(gate))).toMatchObject({ status: 'executed' })
      expect(effects()).toHaveLength(2)
      expect(await leftOf(gate, consent)).toMatchObject({ calls_left: 0 })
      expect(await spentBy(gate, consent)).toHaveLength(2)
      await opened.close()
    })
  })

  test('is not retried if the consent was revoked meanwhile', async () => {
    await inFolder(async (folder) => {
      await interrupt(folder, (gate, { consent_id }) => gate.consents.revoke(ADMIN, consent_id))
      const { gate, outcome, opened, effects } = await openTestGate(folder, { policy })
      // Its first try may have taken effect, so a person still has to settle it.
      expect(await outcome(await startedIn(gate))).toMatchObject({ status: 'unknown' })
      expect(effects()).toHaveLength(1)
      await opened.close()
    })
  })
})
