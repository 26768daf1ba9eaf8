import { APPROVER, SECOND, approveShown, pendingOf, until } from '../helpers/with-gate.ts'
import {
  RULES,
  HARD,
  type Situation,
  text,
  title,
  before,
  unavailableAt,
  companionLostAt,
  forge,
  revoke,
  heldNote,
  askedAgain,
  cancelled,
  interrupted,
  retried,
} from './stage.ts'

export const A_DECIDED_CALL: readonly Situation[] = [
  ['approved', async (stage) => stage.approved(await heldNote(stage))],
  [
    'approved by two',
    async (stage) => {
      const held = pendingOf(await stage.told('book__note', text('x')))
      const first = await approveShown(stage.gate, APPROVER, held.approval_id)
      stage.tell('first', first.ok ? first.value.state : first.problem)
      await stage.approved(held, SECOND)
    },
    {
      config: {
        approvals: {
          groups: { editors: ['bob', 'eve'] },
          routes: [{ id: 'two', match: { tool: 'book__*' }, group: 'editors', people: 2 }],
        },
      },
    },
  ],
  [
    'denied',
    async (stage) => {
      const { approval_id, call_id } = await heldNote(stage)
      await stage.gate.approvals.decide(APPROVER, approval_id, { says: 'deny', reason: 'no' })
      stage.tell('outcome', await stage.outcome(call_id))
    },
  ],
  [
    'withdrawn',
    async (stage) => {
      const { call_id } = await heldNote(stage)
      await stage.gate.calls.withdraw(stage.caller, call_id)
      stage.tell('outcome', await stage.outcome(call_id))
    },
  ],
  [
    'edited, and approved as edited',
    async (stage) => {
      const { approval_id } = await heldNote(stage)
      const edited = await stage.gate.approvals.edit(APPROVER, approval_id, text('y'))
      if (!edited.ok) throw new Error(edited.problem.code)
      await approveShown(stage.gate, APPROVER, edited.value.approval_id)
      stage.tell('outcome', await stage.outcome(edited.value.call_id))
    },
  ],
  [
    'approved, with its dry run by rule only afterwards',
    async (stage) => stage.approved(await stage.told('book__note', text('tried'))),
    {
      policy: RULES.replace('effect: allow, preview', 'effect: ask, preview'),
      note: { effects: ['write'], dry_run: { args: { dry_run: true } } },
    },
  ],
  [
    'approved, and the dry run by rule fails',
    async (stage) => stage.approved(await stage.told('book__note', text('impossible'))),
    {
      policy: RULES.replace('effect: allow, preview', 'effect: ask, preview'),
      note: { effects: ['write'], dry_run: { args: { dry_run: true } } },
    },
  ],
  [
    'approved, with a check and a read-back',
    async (stage) => stage.approved(await stage.told('book__keep_note', title('nine', 'asked'))),
  ],
  [
    'approved, and the check fails',
    async (stage) => {
      const held = await stage.told('book__keep_note', title('ten', 'asked'))
      await stage.call('book__keep_note', title('ten'))
      await stage.approved(held)
    },
  ],
  [
    'approved, and paused before it resumes',
    async (stage) => {
      const held = await heldNote(stage)
      before(1, ({ pause, caller }) => pause(`caller:${caller.id}`))(stage)
      await stage.approved(held)
    },
  ],
  [
    'approved, and paused while it resumes',
    async (stage) => {
      const held = await heldNote(stage)
      before(2, ({ pause, caller }) => pause(`caller:${caller.id}`))(stage)
      await stage.approved(held)
    },
  ],
  [
    'approved, and another policy before it resumes',
    async (stage) => {
      const held = await heldNote(stage)
      before(1, ({ loadPolicy }) => loadPolicy(HARD))(stage)
      await stage.approved(held)
    },
    'own gate',
  ],
  [
    'approved, and the budget is used up before it resumes',
    async (stage) => {
      const held = await heldNote(stage)
      before(2, async ({ approved, call }) => approved(await call('book__note', text('other'))))(stage)
      await stage.approved(held)
    },
    { config: { budgets: [{ id: 'few', match: { tool: 'book__note' }, calls: 1, per: 'run' }] } },
  ],
  [
    'approved, and the key of the caller is revoked before it resumes',
    async (stage) => {
      const { caller, key_id } = await stage.keyed()
      const held = await stage.told('book__note', text('x'), { caller })
      stage.recorder.begin()
      before(2, (at) => revoke(at, key_id))(stage)
      await stage.approved(held)
    },
  ],
  [
    'approved, and the arguments of its row are changed',
    async (stage) => {
      const held = await heldNote(stage)
      before(1, (at) => forge(at, 'calls', held.call_id, { canonical_args: '{"text":"forged"}' }))(stage)
      await stage.approved(held)
    },
  ],
  [
    'approved, and the ledger is unavailable when it resumes',
    async (stage) => {
      const held = await heldNote(stage)
      stage.recorder.begin()
      unavailableAt(2)(stage)
      await stage.approved(held)
    },
  ],
  [
    'approved, and something that was added to the commit of its start is lost',
    async (stage) => {
      const held = await heldNote(stage)
      stage.recorder.begin()
      companionLostAt(2)(stage)
      await stage.approved(held)
    },
  ],
  [
    'approved, overtaken every time, and resumed later',
    async (stage) => {
      const held = await heldNote(stage)
      stage.recorder.begin()
      stage.recorder.before((at) =>
        at < 2 || at > 6 ? undefined : forge(stage, 'tools', 'book__note', {}).then(() => undefined),
      )
      await stage.approved(held)
    },
    'own gate',
  ],
  [
    'interrupted, idempotent, and retried',
    async (stage) => retried(stage, await interrupted(stage, 'book__note_again', text('x'))),
  ],
  [
    'interrupted, and settled as done',
    async (stage) => {
      const call_id = await interrupted(stage, 'book__note', text('x'))
      stage.tell('settled', await stage.gate.calls.settle(APPROVER, call_id, 'done'))
    },
  ],
  [
    'interrupted, retried, and stopped by a pause: still unknown',
    async (stage) => {
      const call_id = await interrupted(stage, 'book__note_again', text('x'))
      await stage.pause(`caller:${stage.caller.id}`)
      await retried(stage, call_id)
    },
  ],
  [
    'cancelled while it ran, and retried with a new approval',
    async (stage) => {
      const call_id = await cancelled(stage)
      await approveShown(stage.gate, APPROVER, await askedAgain(stage, call_id))
      await until(() => stage.effects().length === 2)
      stage.tell('outcome', await stage.outcome(call_id))
    },
    'own gate',
  ],
  [
    'cancelled while it ran, and the retry is denied: still unknown',
    async (stage) => {
      const call_id = await cancelled(stage)
      await stage.gate.approvals.decide(APPROVER, await askedAgain(stage, call_id), { says: 'deny', reason: 'no' })
      stage.tell('outcome', await stage.outcome(call_id))
    },
    'own gate',
  ],
  [
    'cancelled while it ran, the retry approved, and stopped by a pause: still unknown',
    async (stage) => {
      const call_id = await cancelled(stage)
      const approval_id = await askedAgain(stage, call_id)
      before(1, ({ pause, caller }) => pause(`caller:${caller.id}`))(stage)
      await approveShown(stage.gate, APPROVER, approval_id)
      stage.tell('outcome', await stage.outcome(call_id))
    },
    'own gate',
  ],
  [
    'cancelled while it ran, and settled while the retry waits',
    async (stage) => {
      const call_id = await cancelled(stage)
      await askedAgain(stage, call_id)
      stage.tell('settled', await stage.gate.calls.settle(APPROVER, call_id, 'done'))
    },
    'own gate',
  ],
]
