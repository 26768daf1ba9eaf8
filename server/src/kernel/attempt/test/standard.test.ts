import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { AuditEntry } from '../../contract/audit.ts'
import { readConfig } from '../../../../test/read-config.ts'
import {
  ADMIN,
  APPROVER,
  BOOK_TOOLS,
  pendingOf,
  withGate,
  type GateRig,
  approveShown,
} from '../../../../test/helpers/with-gate.ts'

const DIRECT = `rules: [{ id: kept, effect: allow, match: { tool: book__keep_note }, says: notes are kept }]`
const HELD = `rules: [{ id: held, effect: ask, match: { tool: book__keep_note }, says: a person decides }]`
const SECRET = 'a text that belongs in no audit'

const auditOf = async ({ gate }: GateRig, call_id: unknown): Promise<readonly AuditEntry[]> =>
  (await gate.audit.page(undefined, 1, 1000)).filter(({ subject }) => subject['call'] === call_id)
const typesOf = async (rig: GateRig, call_id: unknown) => (await auditOf(rig, call_id)).map(({ type }) => type)
const idOf = (outcome: object) => ('call_id' in outcome ? String(outcome.call_id) : '')
const keep = (rig: GateRig, title: string, text = 'hello', more = {}) =>
  rig.call('book__keep_note', { title, text }, more)

describe('an execution by the standard', () => {
  test('checks, runs, reads back, and says how to undo it; each step is recorded before it is made', async () => {
    await withGate(
      async (rig) => {
        const outcome = await keep(rig, 'one', SECRET)
        expect(outcome).toMatchObject({
          status: 'executed',
          verified: true,
          read_back: "book__find_note: `found` equals true, `note.text` equals this call's `text`",
          rollback: 'to undo it, call book__erase_note with {"title":"one"}',
        })
        expect(await typesOf(rig, idOf(outcome))).toEqual([
          'call.check_started',
          'call.started',
          'call.executed',
          'call.verify_started',
          'call.verified',
        ])
        const entries = await auditOf(rig, idOf(outcome))
        expect(entries.find(({ type }) => type === 'call.started')?.about).toMatchObject({
          rollback: { tool: 'book__erase_note', open: ['{{result.title}}'] },
          check: { ok: true, asked: 'book__find_note', expected: ['`found` equals false'] },
        })
        expect(entries.find(({ type }) => type === 'call.executed')?.about).toMatchObject({
          rollback: { tool: 'book__erase_note', open: [] },
        })
        expect(entries.at(-1)?.about).toMatchObject({
          verified: true,
          asked: 'book__find_note',
          expected: ['`found` equals true', "`note.text` equals this call's `text`"],
        })
        expect(JSON.stringify(entries)).not.toContain(SECRET)
        expect(rig.effects()).toHaveLength(1)
        expect(await rig.gate.audit.verify([])).toMatchObject({ ok: true })
      },
      { policy: DIRECT },
    )
  })

  // Without the judgement of filled-in arguments this test fails: the question is sent.
  test('sends no read-back to a forbidden place that its answer names, even in observe mode', async () => {
    for (const policy of [DIRECT, `preset: observe\n${DIRECT}`])
      await withGate(
        async (rig) => {
          const outcome = await keep(rig, 'one', 'kept elsewhere')
          expect(outcome).toMatchObject({ status: 'executed', verified: 'unknown' })
          expect(JSON.stringify(outcome)).toContain("it was not asked: `/title` mentions the gate's data folder")
          expect(await typesOf(rig, idOf(outcome))).not.toContain('call.verify_started')
        },
        { policy },
      )
  })

  test('is stopped by a check that fails: nothing runs, and the code says so', async () => {
    await withGate(
      async (rig) => {
        await keep(rig, 'one')
        const outcome = await keep(rig, 'one', 'again')
        expect(outcome).toMatchObject({
          status: 'failed',
          problem: {
            code: 'call.check_failed',
            about: { says: 'book__find_note: not true: `found` equals false' },
          },
        })
        expect(await typesOf(rig, idOf(outcome))).toEqual(['call.check_started', 'call.stopped'])
        expect(rig.effects()).toHaveLength(1)
        expect(await rig.gate.calls.read(ADMIN, idOf(outcome))).toMatchObject({ value: { status: 'failed' } })
      },
      { policy: DIRECT },
    )
  })

  test('is executed but not verified if the read-back contradicts it', async () => {
    await withGate(
      async (rig) => {
        const outcome = await keep(rig, 'one', 'lost')
        expect(outcome).toMatchObject({
          status: 'executed',
          verified: false,
          read_back: "book__find_note: not true: `found` equals true, `note.text` equals this call's `text`",
        })
        const [last] = (await auditOf(rig, idOf(outcome))).toReversed()
        expect(last).toMatchObject({ type: 'call.unverified', actor: 'gate', about: { verified: false } })
        expect(await rig.outcome(idOf(outcome))).toEqual(outcome)
      },
      { policy: DIRECT },
    )
  })

  test.each([
    ['answers with an error', 'torn', 'hello', 'it answered with an error'],
    ['does not answer', 'mute', 'hello', 'it could not be asked [tool.timeout]'],
    ['has no value to ask for', 'one', 'untitled', "there is no usable value for the result's `title`"],
  ])('is of unknown effect when the read-back %s', async (_, title, text, says) => {
    await withGate(
      async (rig) => {
        const outcome = await keep(rig, title, text)
        expect(outcome).toMatchObject({
          status: 'executed',
          verified: 'unknown',
          read_back: `book__find_note: ${says}`,
        })
        const [last] = (await auditOf(rig, idOf(outcome))).toReversed()
        expect(last).toMatchObject({ type: 'call.unverified', about: { verified: 'unknown' } })
        expect(rig.effects()).toHaveLength(1)
      },
      { policy: DIRECT, server: { tools: BOOK_TOOLS, timeout_ms: 1_500 } },
    )
  })

  test('sends nothing to the tool server before the approval, and checks after it', async () => {
    await withGate(
      async (rig) => {
        const first = pendingOf(await keep(rig, 'one'))
        const second = pendingOf(await keep(rig, 'one', 'other'))
        expect(await typesOf(rig, first.call_id)).toEqual(['call.held'])
        await approveShown(rig.gate, APPROVER, first.approval_id)
        expect(await rig.outcome(first.call_id)).toMatchObject({ status: 'executed', verified: true })
        await approveShown(rig.gate, APPROVER, second.approval_id)
        expect(await rig.outcome(second.call_id)).toMatchObject({
          status: 'failed',
          problem: { code: 'call.check_failed' },
        })
        expect(await rig.gate.approvals.read(APPROVER, second.approval_id)).toMatchObject({ value: { state: 'stale' } })
        expect(await typesOf(rig, second.call_id)).toEqual([
          'call.held',
          'approval.approved',
          'call.check_started',
          'call.stopped',
        ])
        expect(rig.effects()).toHaveLength(1)
      },
      { policy: HELD },
    )
  })

  test('under one idempotency key is one call, even if its own effect makes the check fail', async () => {
    await withGate(
      async (rig) => {
        // The lookup of this title is slow: the second lookup ends after the first call has run.
        const key = { idempotency_key: 'k1' }
        const first = keep(rig, 'slow', 'hello', key)
        await sleep(150)
        const outcomes = await Promise.all([first, keep(rig, 'slow', 'hello', key)])
        expect(new Set(outcomes.map(idOf)).size).toBe(1)
        expect(rig.effects()).toHaveLength(1)
      },
      { policy: DIRECT },
    )
  })

  test.each(['all', 'server:book', 'tool:book__find_note'] as const)(
    'sends no check while %s is paused',
    async (scope) => {
      await withGate(
        async (rig) => {
          await rig.gate.pauses.set(ADMIN, { scope, effect: 'block', reason: 'drill', active: true })
          const outcome = await keep(rig, 'one')
          expect(outcome).toMatchObject({
            problem: { code: scope === 'tool:book__find_note' ? 'call.check_failed' : 'call.blocked' },
          })
          expect(await typesOf(rig, idOf(outcome))).not.toContain('call.check_started')
          expect(rig.effects()).toEqual([])
        },
        { policy: DIRECT },
      )
    },
  )
})

describe('people see', () => {
  test('in the packet how to undo the call, what is checked and read back, and what is missing', async () => {
    await withGate(
      async (rig) => {
        const { approval_id } = pendingOf(await keep(rig, 'one'))
        expect(await rig.gate.approvals.read(APPROVER, approval_id)).toMatchObject({
          value: {
            title: 'Keep a note',
            rollback: "to undo it, call book__erase_note with `title` = the result's `title`",
            check: 'before it runs, Sluice checks with book__find_note that `found` equals false; no dry run',
            verify:
              "afterwards Sluice checks with book__find_note that `found` equals true and `note.text` equals this call's `text`",
            missing: ['no dry run'],
          },
        })
        const { approval_id: plain } = pendingOf(await rig.call('book__slow_note', { text: 'x' }))
        expect(await rig.gate.approvals.read(APPROVER, plain)).toMatchObject({
          value: {
            title: 'book__slow_note',
            rollback: 'no known way to undo it',
            check: 'no dry run',
            verify: 'result not verified',
            missing: ['no known way to undo it', 'no dry run', 'result not verified'],
          },
        })
      },
      { policy: HELD },
    )
  })

  test('a command by hand as it was written, and no rollback that a server does not offer', async () => {
    const tools = {
      ...BOOK_TOOLS,
      slow_note: { effects: ['external'], rollback: { command: 'restore the book from the shelf' } },
      note: { effects: ['write'], rollback: { tool: 'burn' } },
    }
    await withGate(
      async (rig) => {
        const packets = await Promise.all(
          ['slow_note', 'note'].map(async (name) => {
            const held = pendingOf(await rig.call(`book__${name}`, { text: 'x' }))
            const read = await rig.gate.approvals.read(APPROVER, held.approval_id)
            return read.ok ? [read.value.rollback, read.value.missing[0]] : read.problem
          }),
        )
        expect(packets).toEqual([
          ['to undo it by hand: restore the book from the shelf', 'no dry run'],
          ['no known way to undo it: its server has no tool `burn`', 'no known way to undo it'],
        ])
      },
      { server: { tools } },
    )
  })
})

test('a secret in the arguments is not shown in what would undo the call', async () => {
  const secret = `ghp_${'aB3dE5gH7jK9mN1pQ2sT4vW6xY8z'.repeat(2)}`.slice(0, 40)
  const tools = {
    ...BOOK_TOOLS,
    echo: { effects: ['read'], rollback: { tool: 'note', args: { text: '{{args.text}}' } } },
  }
  const policy = 'rules: [{ id: ask, effect: ask, match: { tool: book__echo }, says: ask }]'
  await withGate(
    async (rig) => {
      const held = pendingOf(await rig.call('book__echo', { text: `use ${secret}` }))
      const packet = await rig.gate.approvals.read(APPROVER, held.approval_id)
      expect(JSON.stringify(packet)).toContain('to undo it, call book__note with {\\"text\\":\\"use [REDACTED_')
      await approveShown(rig.gate, APPROVER, held.approval_id)
      const outcome = await rig.outcome(held.call_id)
      expect(outcome).toMatchObject({ status: 'executed' })
      expect(JSON.stringify([packet, outcome])).not.toContain(secret)
    },
    { policy, server: { tools } },
  )
})

describe('a tag', () => {
  test('of the configuration is matched by a rule, and a tool without it is not', async () => {
    const policy = `rules:
      - { id: paper, effect: block, match: { tag: pap* }, says: no paper today }
      - { id: rest, effect: allow, match: { tool: book__note_again }, says: fine }`
    await withGate(
      async (rig) => {
        expect(await keep(rig, 'one')).toMatchObject({ status: 'refused', problem: { about: { rules: 'paper' } } })
        expect(await rig.call('book__note_again', { text: 'x' })).toMatchObject({ status: 'executed' })
        const tool = rig.gate.catalogue.tools(ADMIN).find(({ row }) => row.tool_id === 'book__keep_note')
        expect(tool).toMatchObject({ title: 'Keep a note', tags: ['paper'] })
      },
      { policy },
    )
  })
})

test('the gate sends its version to tool servers', async () => {
  const tools = { ...BOOK_TOOLS, heard: { effects: ['read'] } }
  await withGate(
    async (rig) => {
      const outcome = await rig.call('book__heard')
      const requests = outcome.status === 'executed' ? JSON.stringify(outcome.result.content) : ''
      expect(requests).toMatch(/"name\\*":\\*"sluice\\*",\\*"version\\*":\\*"\d+\.\d+\.\d+/)
    },
    { server: { tools } },
  )
})

test('the example in the docs is a valid configuration', () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../../../../docs/execution.md'), 'utf8')
  const [, example = ''] = /```yaml\n(.*?)```/s.exec(page) ?? []
  const read = readConfig(parse(example))
  if (!read.ok) throw new Error(read.problem.about['paths'])
  expect(Object.keys(read.value.servers['mail']?.tools['send_message'] ?? {})).toEqual(
    expect.arrayContaining(['rollback', 'check', 'verify']),
  )
})
