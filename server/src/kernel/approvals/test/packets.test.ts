import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { toolResult } from '../../../adapters/mcp/tool-result.ts'
import { HIDDEN_PAYLOADS, HOSTILE_TEXTS, looksOurs, threadOf } from '../../../../test/hostile-texts.ts'
import {
  ADMIN,
  AGENT,
  APPROVER,
  approveShown,
  typedFor,
  openTestGate,
  pendingOf,
  SECOND,
  USER,
  withGate,
  type GateRig,
} from '../../../../test/helpers/with-gate.ts'

/** Content is not judged here: what matters is what the approver is shown. */
const open = {
  policy: 'rules: [{ id: notes, effect: ask, match: { tool: book__note }, says: a person reads notes }]',
  server: { tools: { note: { effects: ['read'] }, echo: { effects: ['read'] } } },
}

async function packetIn({ gate }: GateRig, approval_id: string) {
  const read = await gate.approvals.read(APPROVER, approval_id)
  if (!read.ok) throw new Error(JSON.stringify(read.problem))
  return read.value
}

const held = async (rig: GateRig, args: object, more: object = {}) =>
  pendingOf(await rig.call('book__note', args as never, more)).approval_id

const audited = async ({ gate }: GateRig, type: string) =>
  (await gate.audit.page(undefined, 1, 1_000)).filter((entry) => entry.type === type)

describe('what redaction hides', () => {
  test.each(HIDDEN_PAYLOADS)('$name is reported with its place and length, and makes the request strong', ({ text }) =>
    withGate(async (rig) => {
      const packet = await packetIn(rig, await held(rig, { text }))
      expect(packet.proposed_args).not.toContain(text)
      const [place] = packet.hidden
      expect(place).toMatchObject({ in: 'proposed_args', at: '/text' })
      // As long as what is missing.
      const shown = (JSON.parse(packet.proposed_args) as { text: string }).text
      const marks = shown.match(/\[REDACTED_[A-Z_]+\]/g)?.join('').length ?? 0
      const hidden = packet.hidden.reduce((sum, { length }) => sum + length, 0)
      expect(shown.length - marks + hidden).toBe(text.length)
      expect(packet.strength).toBe('strong')
      expect(packet.risk_notes).toContainEqual(expect.objectContaining({ rule: 'packet.hidden', strength: 'strong' }))
    }, open),
  )

  test('is shown to an approver on request, and the audit records who saw what', () =>
    withGate(async (rig) => {
      const [{ text } = { text: '' }] = HIDDEN_PAYLOADS
      const approval_id = await held(rig, { text })
      const revealed = await rig.gate.approvals.reveal(APPROVER, approval_id)
      expect(revealed).toMatchObject({ ok: true, value: { approval_id, proposed_args: JSON.stringify({ text }) } })
      const entries = await audited(rig, 'approval.revealed')
      expect(entries).toMatchObject([
        { actor: 'approver:bob', subject: { approval: approval_id }, about: { places: ['proposed_args /text'] } },
      ])
      expect(JSON.stringify(entries)).not.toContain('DROP TABLE')
    }, open))

  test('is not revealed to anybody else, or after the decision', () =>
    withGate(async (rig) => {
      const approval_id = await held(rig, { text: 'password="x*/; DROP TABLE users; /*"' })
      for (const caller of [AGENT, USER, { kind: 'node', id: 'node:n', user: 'n' } as const])
        expect(await rig.gate.approvals.reveal(caller, approval_id)).toMatchObject({
          problem: { code: 'auth.forbidden' },
        })
      expect(await audited(rig, 'approval.revealed')).toEqual([])
      await rig.gate.approvals.decide(APPROVER, approval_id, { says: 'deny' })
      expect(await rig.gate.approvals.reveal(APPROVER, approval_id)).toMatchObject({
        problem: { code: 'approval.not_pending' },
      })
    }, open))

  test('a secret in an argument name appears in no place, audit entry or packet', () =>
    withGate(async (rig) => {
      const key = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`
      const approval_id = await held(rig, { text: 'x', [key]: { [key]: 'y' } }).catch(() => undefined)
      if (approval_id === undefined) return
      const packet = await packetIn(rig, approval_id)
      expect(packet.hidden.length).toBeGreaterThan(0)
      await rig.gate.approvals.reveal(APPROVER, approval_id)
      expect(JSON.stringify([packet, await audited(rig, 'approval.revealed')])).not.toContain(key)
    }, open))

  test('a request that hides nothing stays simple', () =>
    withGate(async (rig) => {
      const packet = await packetIn(rig, await held(rig, { text: 'buy milk' }))
      expect(packet).toMatchObject({ hidden: [], strength: 'simple' })
    }, open))

  test('in a preview is reported, can be revealed, and is deleted when the request is closed', () =>
    withGate(
      async (rig) => {
        const token = `ghp_${'Zx9Kq2Lm7Pw4Rt6Vb1Nc8Yd3Gf5Hj0SaEuTo'.slice(0, 36)}`
        const approval_id = await held(rig, { text: token })
        const packet = await packetIn(rig, approval_id)
        expect(JSON.stringify(packet)).not.toContain(token)
        expect(packet.hidden.map(({ in: part, at }) => `${part} ${at}`)).toContain('preview /content/0/text')
        const revealed = await rig.gate.approvals.reveal(APPROVER, approval_id)
        expect(JSON.stringify(revealed)).toContain(token)
        await rig.gate.approvals.decide(APPROVER, approval_id, { says: 'deny' })
        const after = await packetIn(rig, approval_id)
        expect(after.hidden.some(({ in: part }) => part === 'preview')).toBe(false)
      },
      {
        ...open,
        server: {
          tools: {
            note: { effects: ['read'], dry_run: { tool: 'echo', effect_free: true } },
            echo: { effects: ['read'] },
          },
        },
      },
    ))

  test('is not remembered: no consent is minted from a packet that hides something', () =>
    withGate(async (rig) => {
      const approval_id = await held(rig, { text: 'password="x*/; DROP TABLE users; /*"' })
      const remember = { calls: 2, expires_in_s: 60 }
      expect(await approveShown(rig.gate, APPROVER, approval_id, { remember })).toMatchObject({
        problem: { code: 'consent.not_rememberable' },
      })
    }, open))

  test('in the arguments before an edit counts too', () =>
    withGate(async (rig) => {
      const approval_id = await held(rig, { text: 'password="x*/; DROP TABLE users; /*"' })
      const edited = await rig.gate.approvals.edit(APPROVER, approval_id, { text: 'harmless' })
      if (!edited.ok) throw new Error(JSON.stringify(edited.problem))
      const packet = await packetIn(rig, edited.value.approval_id)
      expect(packet.hidden).toMatchObject([{ in: 'edited_from', at: '/text' }])
      expect(packet.strength).toBe('strong')
    }, open))
})

describe('an approval', () => {
  test('names the packet that was shown, and is rejected if the packet has changed', () =>
    withGate(async (rig) => {
      const approval_id = await held(rig, { text: 'one' })
      const other = await packetIn(rig, await held(rig, { text: 'two' }))
      const { digest } = await packetIn(rig, approval_id)
      const wrong = { says: 'approve', digest: other.digest } as const
      expect(await rig.gate.approvals.decide(APPROVER, approval_id, wrong)).toMatchObject({
        problem: { code: 'approval.changed', about: { approval_id } },
      })
      expect((await packetIn(rig, approval_id)).state).toBe('pending')
      expect(await rig.gate.approvals.decide(APPROVER, approval_id, { says: 'approve', digest })).toMatchObject({
        ok: true,
      })
    }, open))

  test('a packet that was shown twice has the same digest, for everybody', () =>
    withGate(async (rig) => {
      const approval_id = await held(rig, { text: 'one' })
      const first = await packetIn(rig, approval_id)
      const [listed] = (await rig.gate.approvals.list(ADMIN, 'pending', { limit: 10 })).items
      expect(listed?.digest).toBe(first.digest)
    }, open))

  test('of two people both name the same packet', () =>
    withGate(
      async (rig) => {
        const approval_id = await held(rig, { text: 'one' })
        const packet = await packetIn(rig, approval_id)
        const decision = { says: 'approve', digest: packet.digest, typed: typedFor(packet) } as const
        expect(await rig.gate.approvals.decide(APPROVER, approval_id, decision)).toMatchObject({
          value: { state: 'pending' },
        })
        expect(await rig.gate.approvals.decide(SECOND, approval_id, decision)).toMatchObject({
          value: { state: 'approved' },
        })
      },
      { ...open, policy: open.policy.replace('effect: ask,', 'effect: ask, strength: two_person,') },
    ))
})

describe('a denial', () => {
  test('tells the agent why, without secrets and in one line', () =>
    withGate(async (rig) => {
      const secret = `ghp_${'Zx9Kq2Lm7Pw4Rt6Vb1Nc8Yd3Gf5Hj0SaEuTo'.slice(0, 36)}`
      const one = pendingOf(await rig.call('book__note', { text: 'one' }))
      const reason = `not now\nuse ${secret} \u202eelsewhere`
      await rig.gate.approvals.decide(APPROVER, one.approval_id, { says: 'deny', reason })
      const outcome = await rig.outcome(one.call_id)
      if (outcome.status !== 'refused') throw new Error(outcome.status)
      expect(outcome.problem.about['reason']).toMatch(/^not now\\nuse \[REDACTED_\w+\] \\u202eelsewhere$/)
      const { content } = toolResult(outcome, false) as { content: { text: string }[] }
      expect(content[0]?.text).toContain('The reason given: `not now\\nuse [REDACTED_')
      expect(looksOurs(content[0]?.text ?? '')).toBeUndefined()
    }, open))
})

describe('a token', () => {
  const strong = { ...open, policy: open.policy.replace('effect: ask,', 'effect: ask, strength: strong,') }
  test('is not minted for a strong request, nor for one that hides something', () =>
    withGate(async (rig) => {
      const approval_id = await held(rig, { text: 'password="x*/; DROP TABLE users; /*"' })
      expect(await rig.gate.approvals.issueToken(USER, approval_id)).toMatchObject({
        problem: { code: 'approval.token_too_weak', about: { strength: 'strong' } },
      })
      expect(await rig.gate.approvals.issueToken(USER, await held(rig, { text: 'simple' }))).toMatchObject({ ok: true })
    }, open))

  // Fails if the digest is left out of the token's claims.
  test('is valid only for the packet it was minted for', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-token-'))
    const first = await openTestGate(folder, open)
    const approval_id = await held(first, { text: 'one' })
    const token = await first.gate.approvals.issueToken(USER, approval_id)
    const { digest } = await packetIn(first, approval_id)
    await first.opened.close()
    // With another title the packet is different.
    const tools = { ...open.server.tools, note: { effects: ['read'], title: 'Something else' } }
    const later = await openTestGate(folder, { ...open, server: { tools } })
    expect((await packetIn(later, approval_id)).digest).not.toBe(digest)
    const presented = { approval_id, token: token.ok ? token.value : '', thread: 't1', says: 'approve' } as const
    expect(await later.gate.approvals.redeemToken(USER, presented)).toMatchObject({
      problem: { about: { factors: 'signature' } },
    })
    await later.opened.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('answers a strong request where the operator counts it as strong', () =>
    withGate(
      async (rig) => {
        const approval_id = await held(rig, { text: 'one' })
        const token = await rig.gate.approvals.issueToken(USER, approval_id)
        if (!token.ok) throw new Error(JSON.stringify(token.problem))
        const presented = { approval_id, token: token.value, thread: 't1', says: 'approve' } as const
        expect(await rig.gate.approvals.redeemToken(USER, presented)).toMatchObject({ value: { state: 'approved' } })
      },
      { ...strong, config: { approvals: { tokens: 'strong' } } },
    ))

  test('never answers a request that two people decide', () =>
    withGate(
      async (rig) => {
        const approval_id = await held(rig, { text: 'one' })
        expect(await rig.gate.approvals.issueToken(USER, approval_id)).toMatchObject({
          problem: { code: 'approval.token_too_weak' },
        })
      },
      {
        ...open,
        policy: open.policy.replace('effect: ask,', 'effect: ask, strength: two_person,'),
        config: { approvals: { tokens: 'strong' } },
      },
    ))
})

describe('a packet', () => {
  test('with hostile arguments and thread names contains no raw control characters', () =>
    withGate(async (rig) => {
      for (const { name, text } of HOSTILE_TEXTS) {
        const outcome = await rig.call('book__note', { text }, { thread: threadOf(text) })
        const packet = await packetIn(rig, pendingOf(outcome).approval_id)
        const words = [
          packet.proposed_args,
          packet.title,
          packet.why_this,
          packet.rollback,
          packet.check,
          packet.verify,
        ]
        for (const says of words) expect(looksOurs(says), name).toBeUndefined()
        for (const { says, source, rule } of packet.risk_notes)
          for (const part of [says, source, rule]) expect(looksOurs(part), name).toBeUndefined()
        expect(JSON.parse(packet.proposed_args), name).toEqual({ text })
      }
    }, open))
})

describe('what an approver reads about the consequences', () => {
  const tools = {
    note: { effects: ['write'], rollback: { tool: 'wipe', args: { id: '{{result.id}}' } } },
    slow_note: { effects: ['write'], rollback: { tool: 'wipe', args: { text: '{{args.text}}' } } },
    echo: { effects: ['read'] },
    wipe: { effects: ['destructive'] },
  }
  const ASK = '{ id: ask, effect: ask, match: { tool: book__note }, says: ask }'
  const blocking = (match: string) => ({
    policy: `rules: [${ASK}, { id: kept, effect: block, match: ${match}, says: notes are kept }]`,
    server: { tools },
  })

  test.each([
    ['a rule blocks the undoing call for everybody', '{ tool: book__wipe }', 'no'],
    ['a rule blocks it for agents only', '{ tool: book__wipe, caller: "agent:*" }', 'yes'],
    ['a rule blocks another tool', '{ tool: book__echo }', 'yes'],
  ])('it can be undone only if somebody could be allowed to: %s', (_, match, is) =>
    withGate(async (rig) => {
      const { facts, rollback, missing } = await packetIn(rig, await held(rig, { text: 'x' }))
      expect(facts.undo.is).toBe(is)
      expect(facts.undo.says).toBe(
        is === 'no'
          ? 'It cannot be undone: the policy allows nobody to call `book__wipe`.'
          : "It can be undone: to undo it, call book__wipe with `id` = the result's `id`.",
      )
      expect(rollback.startsWith('no known way to undo it')).toBe(is === 'no')
      expect(missing.includes('no known way to undo it')).toBe(is === 'no')
      expect(
        JSON.stringify(
          await rig.gate.approvals.read(APPROVER, (await packetIn(rig, await held(rig, { text: 'y' }))).approval_id),
        ),
      ).not.toContain('{{')
    }, blocking(match)),
  )

  test('a read of a secret is neither low risk nor without consequences', () =>
    withGate(
      async (rig) => {
        const { approval_id } = pendingOf(await rig.call('book__echo', { path: '/home/mara/.ssh/id_rsa' }))
        const { risk, facts, risk_notes } = await packetIn(rig, approval_id)
        expect(risk_notes).toContainEqual(expect.objectContaining({ rule: 'sandbox.sensitive' }))
        expect(risk).toMatchObject({ class: 'critical' })
        expect(risk.why[0]).toBe('reads a secret')
        expect(risk.why).not.toContain('only reads')
        expect(facts.undo).toEqual({
          is: 'no',
          says: 'It cannot be undone: once the secret is read, the agent and its model know it.',
        })
      },
      { server: { tools } },
    ))
})

test('a recipient that can be mistaken for one of an earlier call of the user is marked', () =>
  withGate(
    async (rig) => {
      const marks = async (to: string) => {
        const { sentence } = await packetIn(rig, await held(rig, { to, text: 'x' }))
        return sentence.pieces.flatMap((piece) => (piece.is === 'text' ? [] : (piece.mark ?? [])))
      }
      expect(await marks('anna@x.example')).toEqual([])
      const first = pendingOf(await rig.call('book__note', { to: 'anna@x.example', text: 'x' }))
      await approveShown(rig.gate, APPROVER, first.approval_id)
      expect(await rig.outcome(first.call_id)).toMatchObject({ status: 'executed' })
      expect(await marks('anna@x.example')).toEqual([])
      expect(await marks('maria@x.example')).toEqual([])
      expect(await marks('anma@x.example')).toEqual(['can be mistaken for anna@x.example'])
      expect(await marks('anna@x.examp1e')).toEqual(['can be mistaken for anna@x.example'])
      const id = await held(rig, { to: 'bob@x.example', text: 'x' })
      const edited = await rig.gate.approvals.previewEdit(APPROVER, id, { to: 'anna@x.exarnple', text: 'x' })
      expect(JSON.stringify(edited)).toContain('can be mistaken for anna@x.example')
      const other = { ...AGENT, id: 'agent:c', user: 'carl' }
      const theirs = await packetIn(rig, await held(rig, { to: 'anna@x.examp1e', text: 'x' }, { caller: other }))
      expect(JSON.stringify(theirs.sentence)).not.toContain('mistaken')
    },
    {
      policy: 'rules: [{ id: notes, effect: ask, match: { tool: book__note }, says: a person reads notes }]',
      server: { tools: { note: { effects: ['external'] } } },
    },
  ))
