import { describe, expect, test } from 'vitest'
import { problem } from '../../contract/problems.ts'
import { approveShown as approves, auditTypes, pendingOf, until, withGate } from '../../../../test/helpers/with-gate.ts'
import { ADMIN, AGENT, APPROVER, SECOND, USER } from '../../../../test/helpers/with-gate.ts'

const NOT_PENDING = { problem: { code: 'approval.not_pending' } }

describe('a call', () => {
  test('that only reads runs at once, and its intent is recorded before its outcome', async () => {
    await withGate(async ({ gate, call }) => {
      expect(await call('book__look')).toMatchObject({
        status: 'executed',
        result: { content: [{ text: 'nothing to see' }] },
      })
      expect(await auditTypes(gate)).toEqual(['call.started', 'call.executed'])
    })
  })

  test('that the operator blocks is refused with the id of the rule, and reaches no tool', async () => {
    await withGate(async ({ gate, call, effects }) => {
      const outcome = await call('book__wipe', { text: 'all' }, { caller: ADMIN })
      expect(outcome).toMatchObject({
        status: 'refused',
        problem: { code: 'call.blocked', about: { rules: 'no-wiping' } },
      })
      expect(effects()).toEqual([])
      expect(await auditTypes(gate)).toEqual(['call.blocked'])
    })
  })

  test('that is held is answered at once, and runs once after an approval', async () => {
    await withGate(async ({ gate, call, effects, outcome }) => {
      const held = pendingOf(await call('book__note', { text: 'one' }))
      expect(effects()).toEqual([])
      const decided = await approves(gate, APPROVER, held.approval_id)
      expect(decided).toMatchObject({ ok: true, value: { state: 'approved' } })
      expect(await outcome(held.call_id)).toMatchObject({ status: 'executed' })
      expect(await approves(gate, APPROVER, held.approval_id)).toMatchObject(NOT_PENDING)
      expect(effects()).toEqual(['note {"text":"one"}'])
      expect(await auditTypes(gate)).toEqual([
        'call.previewed',
        'call.held',
        'approval.approved',
        'call.started',
        'call.executed',
      ])
    })
  })

  test('that is denied never runs, and its status says so', async () => {
    await withGate(async ({ gate, call, effects }) => {
      const held = pendingOf(await call('book__note', { text: 'one' }))
      await gate.approvals.decide(APPROVER, held.approval_id, { says: 'deny', reason: 'no' })
      expect(await gate.calls.read(AGENT, held.call_id)).toMatchObject({
        value: { status: 'refused', problem: { code: 'approval.denied' } },
      })
      expect(effects()).toEqual([])
    })
  })

  test('with arguments that do not fit the schema is refused with the path, before any decision', async () => {
    await withGate(async ({ gate, call }) => {
      const outcome = await call('book__note', { text: 7 })
      expect(outcome).toMatchObject({ status: 'refused', problem: { code: 'call.args_invalid' } })
      expect(JSON.stringify(outcome)).toContain('/text')
      expect(await auditTypes(gate)).toEqual(['call.refused'])
    })
  })

  test('whose caller sent another hash or canonical form is blocked as forged, whatever the policy says', async () => {
    await withGate(async ({ call, effects }) => {
      const args = { text: 'x' }
      for (const claimed of [{ hash: 'f'.repeat(64) }, { canonical: '{"text":"y"}' }]) {
        expect(await call('book__note_again', args, { claimed })).toMatchObject({
          status: 'refused',
          problem: { code: 'call.integrity_mismatch' },
        })
      }
      expect(effects()).toEqual([])
      expect(await call('book__note_again', args, { claimed: { canonical: '{"text":"x"}' } })).toMatchObject({
        status: 'executed',
      })
    })
  })

  test('to an unknown tool is refused and audited', async () => {
    await withGate(async ({ gate, call }) => {
      expect(await call('book__nothing')).toMatchObject({ status: 'refused', problem: { code: 'tool.unknown' } })
      expect(await auditTypes(gate)).toEqual(['call.refused'])
    })
  })

  test('with the same idempotency key and arguments is the same call; with others it is refused', async () => {
    await withGate(async ({ call, effects }) => {
      const key = { idempotency_key: 'k1' }
      const calls = await Promise.all(Array.from({ length: 20 }, () => call('book__note_again', { text: 'x' }, key)))
      expect(new Set(calls.map((outcome) => ('call_id' in outcome ? outcome.call_id : undefined))).size).toBe(1)
      expect(effects()).toHaveLength(1)
      expect(await call('book__note_again', { text: 'y' }, key)).toMatchObject({ problem: { code: 'call.key_reused' } })
    })
  })

  test('that fails at the tool is reported as failed with the tool`s error text', async () => {
    await withGate(async ({ call }) => {
      expect(await call('book__fails')).toMatchObject({
        status: 'failed',
        problem: { code: 'tool.failed' },
        result: { content: [{ text: 'it broke' }] },
      })
    })
  })

  test('with a huge output returns a pointer, and only its owner can read the whole output', async () => {
    await withGate(async ({ gate, call }) => {
      expect(await call('book__big', { size: 10_000 })).toMatchObject({
        output: { evicted: false, size_chars: 10_000, rehydration_allowed: true },
      })
      const big = await call('book__big', { size: 60_000 })
      expect(big).toMatchObject({
        status: 'executed',
        output: { evicted: true, size_chars: 60_000, rehydration_allowed: false },
      })
      const pointer = big.status === 'executed' ? (big.output.pointer ?? '') : ''
      const digest = pointer.replace('artifact://', '')
      expect(await gate.artifacts.read({ caller: AGENT }, digest, 59_990, 100)).toEqual({
        ok: true,
        value: { text: 'x'.repeat(10), size: 60_000 },
      })
      expect(await gate.artifacts.read({ caller: { ...AGENT, user: 'mallory' } }, digest, 0, 10)).toMatchObject({
        problem: { code: 'artifact.unknown' },
      })
      expect(await gate.artifacts.read({ caller: AGENT }, '../../../etc/passwd', 0, 10)).toMatchObject({
        problem: { code: 'artifact.unknown' },
      })
    })
  })

  test('is not accepted while the gate stops', async () => {
    await withGate(async ({ gate, call, opened }) => {
      await opened.close()
      expect(await call('book__look')).toEqual({ status: 'refused', problem: problem('gate.stopping'), evidence: [] })
      expect(gate.closedBy()).toEqual(problem('gate.stopping'))
    })
  })
})

describe('a preview', () => {
  test('of a held call with an effect-free dry run is shown to the approver and changes nothing', async () => {
    await withGate(async ({ gate, call, effects }) => {
      const held = pendingOf(await call('book__note', { text: 'one' }))
      expect(await gate.approvals.read(APPROVER, held.approval_id)).toMatchObject({
        value: { preview: { content: [{ text: 'would note' }] }, proposed_args: '{"text":"one"}' },
      })
      expect(effects()).toEqual([])
    })
  })

  test('that fails stops the call, and nobody is asked', async () => {
    await withGate(async ({ gate, call }) => {
      expect(await call('book__note', { text: 'impossible' })).toMatchObject({
        status: 'failed',
        problem: { code: 'call.dry_run_failed' },
      })
      expect((await gate.approvals.list(APPROVER, 'pending', { limit: 10 })).items).toEqual([])
    })
  })

  test('without a call executes nothing, and is rejected for a tool that has none', async () => {
    await withGate(async ({ call, effects }) => {
      expect(await call('book__note', { text: 'x' }, { dry_run: 'only' })).toMatchObject({ status: 'previewed' })
      expect(await call('book__slow_note', { text: 'x' }, { dry_run: 'only' })).toMatchObject({
        problem: { code: 'call.no_dry_run' },
      })
      expect(effects()).toEqual([])
    })
  })
})

describe('an edit', () => {
  test('replaces the request by one with the new hash, which must be approved and then runs the new arguments', async () => {
    await withGate(async ({ gate, call, effects, outcome }) => {
      const held = pendingOf(await call('book__note', { text: 'one' }))
      const edited = await gate.approvals.edit(APPROVER, held.approval_id, { text: 'two' })
      if (!edited.ok) throw new Error(JSON.stringify(edited.problem))
      expect(edited.value).toMatchObject({
        state: 'pending',
        replaces: held.approval_id,
        edited_from: '{"text":"one"}',
      })
      expect(await gate.calls.read(AGENT, held.call_id)).toMatchObject({
        value: { status: 'pending', approval_id: edited.value.approval_id },
      })
      expect(await approves(gate, APPROVER, held.approval_id)).toMatchObject(NOT_PENDING)
      expect(effects()).toEqual([])
      await approves(gate, APPROVER, edited.value.approval_id)
      expect(await outcome(held.call_id)).toMatchObject({ status: 'executed' })
      expect(effects()).toEqual(['note {"text":"two"}'])
    })
  })

  test('that the schema or the policy refuses leaves the old request as it was', async () => {
    const policy = `rules: [{ id: no-two, effect: block, match: { tool: book__note }, when: args.text == "two", says: never two },
      { id: ask, effect: ask, match: { tool: book__note }, says: ask }]`
    await withGate(
      async ({ gate, call }) => {
        const held = pendingOf(await call('book__note', { text: 'one' }))
        expect(await gate.approvals.edit(APPROVER, held.approval_id, { text: 2 })).toMatchObject({
          problem: { code: 'call.args_invalid' },
        })
        expect(await gate.approvals.edit(APPROVER, held.approval_id, { text: 'two' })).toMatchObject({
          problem: { code: 'call.blocked' },
        })
        expect(await gate.approvals.read(APPROVER, held.approval_id)).toMatchObject({ value: { state: 'pending' } })
      },
      { policy },
    )
  })
})

describe('who may decide', () => {
  test('an agent cannot decide, edit, mint, redeem, or see a packet', async () => {
    await withGate(async ({ gate, call }) => {
      const { approval_id } = pendingOf(await call('book__note', { text: 'x' }))
      const token = await gate.approvals.issueToken(USER, approval_id)
      if (!token.ok) throw new Error(token.problem.code)
      const attempts = [
        await approves(gate, AGENT, approval_id),
        await gate.approvals.edit(AGENT, approval_id, { text: 'y' }),
        await gate.approvals.issueToken(AGENT, approval_id),
        await gate.approvals.redeemToken(AGENT, { approval_id, token: token.value, thread: 't1', says: 'approve' }),
        await gate.approvals.read(AGENT, approval_id),
      ]
      expect(attempts.map((attempt) => attempt.ok)).toEqual([false, false, false, false, false])
      expect((await gate.approvals.list(AGENT, 'pending', { limit: 10 })).items).toEqual([])
      expect(await gate.approvals.read(APPROVER, approval_id)).toMatchObject({ value: { state: 'pending' } })
    })
  })

  test('two people must approve a critical call, and neither may be the requester', async () => {
    const config = {}
    const server = { tools: { note: { effects: ['privileged'] } } }
    await withGate(
      async ({ gate, call, effects, outcome }) => {
        // Two approvers exist.
        for (const name of ['bob', 'eve']) await gate.identity.createCredential(ADMIN, { kind: 'approver', name })
        const { approval_id, call_id } = pendingOf(await call('book__note', { text: 'x' }))
        const own = { ...APPROVER, id: 'approver:ana', user: 'ana' }
        expect(await approves(gate, own, approval_id)).toMatchObject({
          problem: { code: 'approval.own_request' },
        })
        expect(await approves(gate, APPROVER, approval_id)).toMatchObject({
          value: { state: 'pending' },
        })
        expect(await approves(gate, APPROVER, approval_id)).toMatchObject({
          problem: { code: 'approval.already_decided_by_you' },
        })
        expect(effects()).toEqual([])
        expect(await approves(gate, SECOND, approval_id)).toMatchObject({
          value: { state: 'approved' },
        })
        expect(await outcome(call_id)).toMatchObject({ status: 'executed' })
        expect(effects()).toHaveLength(1)
      },
      { config, server },
    )
  })

  test('a token redeemed by the user in the thread lets the call run once, and not again', async () => {
    await withGate(async ({ gate, call, effects, outcome }) => {
      const { approval_id, call_id } = pendingOf(await call('book__note', { text: 'x' }))
      const token = await gate.approvals.issueToken(USER, approval_id)
      if (!token.ok) throw new Error(token.problem.code)
      const presented = { approval_id, token: token.value, thread: 't1', says: 'approve' } as const
      expect(await gate.approvals.redeemToken(USER, { ...presented, thread: 't2' })).toMatchObject({
        problem: { code: 'approval.wrong_thread', about: { factor: 'thread' } },
      })
      expect(await gate.approvals.redeemToken({ ...USER, user: 'eve' }, presented)).toMatchObject({
        problem: { code: 'approval.wrong_user' },
      })
      const other = pendingOf(await call('book__note', { text: 'x' }))
      expect(await gate.approvals.redeemToken(USER, { ...presented, approval_id: other.approval_id })).toMatchObject({
        problem: { code: 'approval.signature_invalid' },
      })
      expect(await gate.approvals.redeemToken(USER, presented)).toMatchObject({
        ok: true,
        value: { state: 'approved' },
      })
      expect(await gate.approvals.redeemToken(USER, presented)).toMatchObject({
        problem: { code: 'approval.used', about: { factor: 'single_use' } },
      })
      expect(await outcome(call_id)).toMatchObject({ status: 'executed' })
      expect(effects()).toHaveLength(1)
    })
  })

  test('a token of a rotated key is valid until the next rotation', async () => {
    await withGate(async ({ gate, call }) => {
      const first = pendingOf(await call('book__note', { text: 'x' }))
      const second = pendingOf(await call('book__note', { text: 'y' }))
      const tokens = await Promise.all(
        [first, second].map(({ approval_id }) => gate.approvals.issueToken(USER, approval_id)),
      )
      const texts = tokens.map((token) => (token.ok ? token.value : ''))
      await gate.identity.rotateKeys(ADMIN, 'token')
      expect(
        await gate.approvals.redeemToken(USER, {
          approval_id: first.approval_id,
          token: texts[0] ?? '',
          thread: 't1',
          says: 'approve',
        }),
      ).toMatchObject({ ok: true })
      await gate.identity.rotateKeys(ADMIN, 'token')
      expect(
        await gate.approvals.redeemToken(USER, {
          approval_id: second.approval_id,
          token: texts[1] ?? '',
          thread: 't1',
          says: 'approve',
        }),
      ).toMatchObject({
        problem: { code: 'approval.signature_invalid' },
      })
    })
  })
})

describe('time and change', () => {
  test('a request that nobody decides expires, and its call is refused', async () => {
    await withGate(
      async ({ gate, call, outcome }) => {
        const { approval_id, call_id } = pendingOf(await call('book__note', { text: 'x' }))
        expect(await outcome(call_id)).toMatchObject({ status: 'refused', problem: { code: 'approval.expired' } })
        expect(await approves(gate, APPROVER, approval_id)).toMatchObject({
          problem: { code: 'approval.expired' },
        })
      },
      { config: { approvals: { expires_s: 1 } } },
    )
  })

  test('a call can be withdrawn by whoever made it, and by no other agent', async () => {
    await withGate(async ({ gate, call }) => {
      const { call_id, approval_id } = pendingOf(await call('book__note', { text: 'x' }))
      expect(await gate.calls.withdraw({ ...AGENT, id: 'agent:other' }, call_id)).toMatchObject({
        problem: { code: 'call.unknown' },
      })
      expect(await gate.calls.withdraw(AGENT, call_id)).toMatchObject({ value: { state: 'withdrawn' } })
      expect(await approves(gate, APPROVER, approval_id)).toMatchObject({
        problem: { code: 'approval.withdrawn' },
      })
    })
  })

  test('a pause stops every call at once, including approved ones, until it is lifted', async () => {
    await withGate(async ({ gate, call, effects, outcome }) => {
      const held = pendingOf(await call('book__note', { text: 'x' }))
      const pause = { scope: 'all', effect: 'block', reason: 'drill' } as const
      expect(await gate.pauses.set(AGENT, { ...pause, active: true })).toMatchObject({
        problem: { code: 'auth.forbidden' },
      })
      await gate.pauses.set(ADMIN, { ...pause, active: true })
      expect(await call('book__look')).toMatchObject({ status: 'refused', problem: { about: { rules: 'pause.all' } } })
      await approves(gate, APPROVER, held.approval_id)
      expect(await outcome(held.call_id)).toMatchObject({ status: 'refused', problem: { code: 'approval.stale' } })
      await gate.pauses.set(ADMIN, { ...pause, active: false })
      expect(await call('book__look')).toMatchObject({ status: 'executed' })
      expect(effects()).toEqual([])
    })
  })

  test('a pause of one caller, tool or server stops that one only', async () => {
    await withGate(async ({ gate, call }) => {
      for (const scope of ['caller:agent:a', 'tool:book__look', 'server:book'] as const) {
        await gate.pauses.set(ADMIN, { scope, effect: 'ask', reason: '', active: true })
        expect(await call('book__look')).toMatchObject({ status: 'pending' })
        if (scope !== 'server:book')
          expect(await call('book__note_again', { text: 'x' }, { caller: { ...AGENT, id: 'agent:b' } })).toMatchObject({
            status: 'executed',
          })
        await gate.pauses.set(ADMIN, { scope, effect: 'ask', reason: '', active: false })
      }
    })
  })

  test('the audit of all this verifies', async () => {
    await withGate(async ({ gate, call }) => {
      const held = pendingOf(await call('book__note', { text: 'x' }))
      await approves(gate, APPROVER, held.approval_id)
      await until(
        async () =>
          (await gate.calls.read(ADMIN, held.call_id)).ok && (await auditTypes(gate)).includes('call.executed'),
      )
      await gate.audit.presentCheckpoint()
      // The regular checkpoint may have come first.
      expect(await gate.audit.verify([])).toMatchObject({ ok: true, checkpoints: expect.toBeOneOf([1, 2]) as number })
    })
  })
})
