import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Caller } from '../../src/kernel/contract/caller.ts'
import { scryptPassphrases } from '../../src/adapters/keys/passphrases.ts'
import {
  ADMIN,
  AGENT,
  APPROVER,
  openTestGate,
  pendingOf,
  SECOND,
  withGate,
  type GateRig,
  approveShown,
  typedFor,
} from '../helpers/with-gate.ts'

const RIGHT = 'correct horse battery'
const codeOf = (result: { ok: boolean; problem?: { code: string } }) => (result.ok ? 'ok' : result.problem?.code)

let rig: GateRig
let folder = ''
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-strong-'))
  rig = await openTestGate(folder)
})
afterAll(async () => {
  await rig.opened.close()
  rmSync(folder, { recursive: true, force: true })
})

let count = 0
const held = async (tool: string) => pendingOf(await rig.call(tool, { text: `s${(count += 1)}` })).approval_id
const approve = async (by: Caller, id: string, passphrase?: string) =>
  approveShown(rig.gate, by, id, passphrase === undefined ? {} : { passphrase })
const person = (name: string): Caller => ({ kind: 'approver', id: `approver:${name}`, user: name })

describe('a strong approval', () => {
  test('by somebody without a passphrase needs only the role, unless the configuration requires more', async () => {
    const approved = await approve(SECOND, await held('book__slow_note'))
    expect(approved).toMatchObject({ ok: true, value: { state: 'approved', strength: 'strong' } })
  })

  test('by somebody with a passphrase needs it: neither the key alone nor a wrong passphrase is enough', async () => {
    expect(await rig.gate.identity.setPassphrase(APPROVER, { passphrase: RIGHT })).toMatchObject({ ok: true })
    const id = await held('book__slow_note')
    expect(codeOf(await approve(APPROVER, id))).toBe('approval.passphrase_needed')
    expect(await approve(APPROVER, id, 'wrong')).toMatchObject({
      problem: { code: 'approval.passphrase_wrong', about: { tries_left: '4' } },
    })
    expect(await rig.gate.approvals.read(APPROVER, id)).toMatchObject({ value: { state: 'pending', decisions: [] } })
    const approved = await approve(APPROVER, id, RIGHT)
    expect(approved).toMatchObject({ value: { state: 'approved', decisions: [{ by: APPROVER.id, passphrase: true }] } })
  })

  test('can be denied without proof, and a simple request can be approved without it', async () => {
    const strong = await held('book__slow_note')
    expect(await rig.gate.approvals.decide(APPROVER, strong, { says: 'deny' })).toMatchObject({
      value: { state: 'denied' },
    })
    expect(codeOf(await approve(APPROVER, await held('book__note')))).toBe('ok')
  })

  test('cannot be avoided with a consent, minted or remembered, that would cover it', async () => {
    const terms = {
      actor: 'caller:agent:other' as const,
      what: { tool: 'book__slow_note', args: [{ path: '', op: 'any' as const }] },
      calls: 3,
      expires_in_s: 600,
    }
    expect(codeOf(await rig.gate.consents.mint(APPROVER, terms))).toBe('approval.passphrase_needed')
    expect(codeOf(await rig.gate.consents.mint(AGENT, terms))).toBe('auth.forbidden')
    const simple = await held('book__note')
    const remember = { calls: 3, expires_in_s: 600 }
    const remembered = await approveShown(rig.gate, APPROVER, simple, { remember })
    expect(codeOf(remembered)).toBe('approval.passphrase_needed')
    expect((await rig.gate.consents.list(ADMIN, { limit: 10 })).items).toEqual([])
    expect(codeOf(await rig.gate.consents.mint(APPROVER, terms, { passphrase: RIGHT }))).toBe('ok')
  })

  test('is locked after five wrong passphrases, even for the right one and for concurrent attempts; another person can still give it', async () => {
    const carl = person('carl')
    await rig.gate.identity.setPassphrase(carl, { passphrase: RIGHT })
    const id = await held('book__slow_note')
    const guesses = await Promise.all(Array.from({ length: 12 }, (_, nth) => approve(carl, id, `guess number ${nth}`)))
    const codes = guesses.map(codeOf)
    expect(codes.filter((code) => code === 'approval.passphrase_wrong')).toHaveLength(5)
    expect(codes.filter((code) => code === 'approval.passphrase_locked')).toHaveLength(7)
    expect(codeOf(await approve(carl, id, RIGHT))).toBe('approval.passphrase_locked')
    expect(codeOf(await rig.gate.identity.setPassphrase(carl, { passphrase: 'another one', current: RIGHT }))).toBe(
      'approval.passphrase_locked',
    )
    expect(codeOf(await approve(APPROVER, id, RIGHT))).toBe('ok')
    const entries = await rig.gate.audit.page(undefined, 1, 1_000)
    expect(entries.filter(({ type, actor }) => type === 'passphrase.wrong' && actor === carl.id)).toHaveLength(5)
  })
})

describe('a batch of strong requests', () => {
  const read = async (id: string) => {
    const packet = await rig.gate.approvals.read(SECOND, id)
    if (!packet.ok) throw new Error(packet.problem.code)
    return packet.value
  }
  const stateOf = async (id: string) => (await read(id)).state

  test('what is typed is checked before a wrong passphrase is counted, and it replaces no proof', async () => {
    const finn = person('finn')
    await rig.gate.identity.setPassphrase(finn, { passphrase: RIGHT })
    const id = await held('book__slow_note')
    for (let n = 0; n < 8; n++)
      expect(codeOf(await approveShown(rig.gate, finn, id, { passphrase: `guess ${n}`, typed: 'x' }))).toBe(
        'approval.typed_needed',
      )
    expect(codeOf(await approve(finn, id))).toBe('approval.passphrase_needed')
    expect(codeOf(await approve(finn, id, RIGHT))).toBe('ok')
  })

  test('is not joined by a request that was made after it was shown: a decision names one request and its digest', async () => {
    const shown = await read(await held('book__slow_note'))
    const late = await held('book__slow_note')
    const decision = { says: 'approve', digest: shown.digest, typed: typedFor(shown) } as const
    expect(codeOf(await rig.gate.approvals.decide(SECOND, late, decision))).toBe('approval.changed')
    expect(codeOf(await rig.gate.approvals.decide(SECOND, shown.approval_id, decision))).toBe('ok')
    expect(await stateOf(late)).toBe('pending')
  })

  test('a simple request needs nothing typed', async () => {
    const { approval_id, digest } = await read(await held('book__note'))
    expect(codeOf(await rig.gate.approvals.decide(SECOND, approval_id, { says: 'approve', digest }))).toBe('ok')
  })
})

describe('a passphrase', () => {
  test('is changed only with the old one, and cleared by another admin', async () => {
    const dora = person('dora')
    const set = (passphrase: string, current?: string) =>
      rig.gate.identity.setPassphrase(dora, { passphrase, ...(current === undefined ? {} : { current }) })
    expect(codeOf(await set('first of all'))).toBe('ok')
    expect(codeOf(await set('stolen key!'))).toBe('approval.passphrase_needed')
    expect(codeOf(await set('stolen key!', 'guess'))).toBe('approval.passphrase_wrong')
    expect(codeOf(await set('second of all', 'first of all'))).toBe('ok')
    expect(codeOf(await approve(dora, await held('book__slow_note'), 'second of all'))).toBe('ok')
    expect(codeOf(await rig.gate.identity.clearPassphrase(APPROVER, 'dora'))).toBe('auth.forbidden')
    expect(codeOf(await rig.gate.identity.clearPassphrase({ ...ADMIN, user: 'dora' }, 'dora'))).toBe('auth.forbidden')
    expect(codeOf(await rig.gate.identity.clearPassphrase(ADMIN, 'dora'))).toBe('ok')
    expect(codeOf(await approve(dora, await held('book__slow_note')))).toBe('ok')
  })

  test('is not available to agents or users, and is not in the ledger', async () => {
    for (const kind of ['agent', 'user', 'reviewer', 'node'] as const)
      expect(
        codeOf(await rig.gate.identity.setPassphrase({ kind, id: `${kind}:x`, user: 'x' }, { passphrase: RIGHT })),
      ).toBe('auth.forbidden')
    for (const file of ['ledger.sqlite', 'ledger.sqlite-wal'])
      expect(readFileSync(join(folder, 'data', file)).includes(RIGHT)).toBe(false)
  })

  test('is hashed with its own salt, and is recognised in every Unicode normalisation form', async () => {
    const [one, other] = [
      await scryptPassphrases.seal('caf\u00e9 au lait'),
      await scryptPassphrases.seal('caf\u00e9 au lait'),
    ]
    expect(one).toMatchObject({ kdf: 'scrypt', cost: 32_768, block: 8, parallel: 1 })
    expect(one.hash).not.toBe(other.hash)
    expect(await scryptPassphrases.fits(one, 'cafe\u0301 au lait')).toBe(true)
    expect(await scryptPassphrases.fits(one, 'cafe au lait')).toBe(false)
    expect(await scryptPassphrases.fits({ ...one, cost: 16_384 }, 'caf\u00e9 au lait')).toBe(false)
  })
})

test('if the configuration requires passphrases, people without one cannot approve strong requests', () =>
  withGate(
    async ({ gate, call }) => {
      const { approval_id } = pendingOf(await call('book__slow_note', { text: 'x' }))
      const approve = (passphrase?: string) =>
        approveShown(gate, SECOND, approval_id, passphrase === undefined ? {} : { passphrase })
      expect(codeOf(await approve())).toBe('approval.passphrase_unset')
      expect(codeOf(await approve('anything at all'))).toBe('approval.passphrase_unset')
      await gate.identity.setPassphrase(SECOND, { passphrase: RIGHT })
      expect(codeOf(await approve(RIGHT))).toBe('ok')
    },
    { config: { approvals: { strong: 'passphrase' } } },
  ))

describe('two people', () => {
  const policy = `
rules:
  - { id: two, effect: ask, strength: two_person, match: { tool: book__note_again }, says: two people }
`
  test('are two different users, never the requester, and each gives proof', () =>
    withGate(
      async ({ gate, call }) => {
        const { approval_id } = pendingOf(await call('book__note_again', { text: 'x' }))
        const approve = async (by: Caller, passphrase?: string) =>
          codeOf(await approveShown(gate, by, approval_id, passphrase === undefined ? {} : { passphrase }))
        await gate.identity.setPassphrase(APPROVER, { passphrase: RIGHT })
        expect(await approve({ kind: 'admin', id: 'admin:ana', user: AGENT.user })).toBe('approval.own_request')
        expect(await approve(APPROVER)).toBe('approval.passphrase_needed')
        expect(await approve(APPROVER, RIGHT)).toBe('ok')
        const otherKey: Caller = { kind: 'admin', id: 'admin:bob', user: APPROVER.user }
        expect(await approve(otherKey, RIGHT)).toBe('approval.already_decided_by_you')
        expect(await gate.approvals.read(ADMIN, approval_id)).toMatchObject({ value: { state: 'pending' } })
        expect(await approve(SECOND)).toBe('ok')
        expect(await gate.approvals.read(ADMIN, approval_id)).toMatchObject({
          value: { state: expect.stringMatching(/approved|consumed/) as string },
        })
      },
      { policy },
    ))
})
