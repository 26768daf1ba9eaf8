import { APPROVER, approveShown } from '../helpers/with-gate.ts'
import { type Situation, text, title, revoke, consentFor, judged } from './stage.ts'

export const A_NEW_CALL: readonly Situation[] = [
  ['a read runs', ({ told }) => told('book__look')],
  [
    'a declared read with a key is durable before it is sent',
    ({ told }) => told('book__look', {}, { idempotency_key: 'k' }),
  ],
  ['a write that a rule allows runs', ({ told }) => told('book__note_again', text('x'))],
  ['a call that a rule blocks', ({ told }) => told('book__wipe', text('x'))],
  [
    'a blocked call with a secret in its arguments',
    ({ told }) => told('book__wipe', text('ghp_aB3dE5gH7jK9mN1pQ2sT4vW6xY8z0aB3dE5g')),
  ],
  ['a call that a person must decide', ({ told }) => told('book__note', text('x'))],
  ['a call of high risk', ({ told }) => told('book__slow_note', text('x'))],
  ['a tool that nobody has', ({ told }) => told('book__nothing')],
  ['a tool of a server that nobody has', ({ told }) => told('shelf__look')],
  ['arguments that do not fit the schema', ({ told }) => told('book__note', { text: 7 })],
  ['a thread with a forbidden name', ({ told }) => told('book__look', {}, { thread: 'two\nlines' })],
  ['an idempotency key with a forbidden name', ({ told }) => told('book__look', {}, { idempotency_key: 'two\nlines' })],
  ['a call without a thread', ({ told }) => told('book__look', {}, { thread: undefined } as never)],
  [
    'a canonical form that was changed on the way',
    ({ told }) => told('book__look', {}, { claimed: { canonical: '{"a":1}' } }),
  ],
  [
    'a hash that was changed on the way',
    ({ told }) => told('book__note_again', text('x'), { claimed: { hash: 'f'.repeat(64) } }),
  ],
  [
    'a forged call neither uses nor reads an idempotency key',
    async ({ told }) => {
      const forged = { idempotency_key: 'k', claimed: { hash: 'f'.repeat(64) } }
      await told('book__note_again', text('x'), forged)
      await told('book__note_again', text('x'), { idempotency_key: 'k' })
      await told('book__note_again', text('x'), forged)
    },
  ],
  [
    'the same key again answers with the first call',
    async ({ told }) => {
      await told('book__note_again', text('x'), { idempotency_key: 'k' })
      await told('book__note_again', text('x'), { idempotency_key: 'k' })
    },
  ],
  [
    'the same key for other arguments',
    async ({ told }) => {
      await told('book__note_again', text('x'), { idempotency_key: 'k' })
      await told('book__note_again', text('y'), { idempotency_key: 'k' })
    },
  ],
  [
    'the same key for a held call',
    async ({ told }) => {
      await told('book__note', text('x'), { idempotency_key: 'k' })
      await told('book__note', text('x'), { idempotency_key: 'k' })
    },
  ],
  [
    'words of the user are recorded before the call',
    ({ told }) => told('book__note_again', text('x'), { words: 'note x' }),
  ],
  ['a call as a task', ({ told }) => told('book__note_again', text('x'), { as_task: true })],
  ['only a dry run of a call that would be held', ({ told }) => told('book__note', text('x'), { dry_run: 'only' })],
  ['a dry run first, of a call that is held', ({ told }) => told('book__note', text('x'), { dry_run: 'first' })],
  [
    'a dry run that was asked for, of a tool without one',
    ({ told }) => told('book__note_again', text('x'), { dry_run: 'first' }),
  ],
  ['only a dry run of a call that is blocked', ({ told }) => told('book__wipe', text('x'), { dry_run: 'only' })],
  ['a dry run by rule', ({ told }) => told('book__note', text('tried'))],
  ['a dry run by rule that fails', ({ told }) => told('book__note', text('impossible'))],
  ['a check and a read-back', ({ told }) => told('book__keep_note', title('one'))],
  [
    'a check that fails',
    async ({ told, call }) => {
      await call('book__keep_note', title('two'))
      await told('book__keep_note', title('two'))
    },
  ],
  [
    'a check that fails because the same call has just run',
    async ({ told }) => {
      await told('book__keep_note', title('three'), { idempotency_key: 'k' })
      await told('book__keep_note', title('three'), { idempotency_key: 'k' })
    },
  ],
  [
    'a check that cannot be read',
    ({ told, call }) => call('book__keep_note', title('torn')).then(() => told('book__keep_note', title('torn'))),
  ],
  ['a read-back that does not find it', ({ told }) => told('book__keep_note', title('four', 'lost'))],
  ['a tool that answers with an error', ({ told }) => told('book__fails')],
  ['an output that moves to the artifacts', ({ told }) => told('book__big', { size: 4_000 }, { evict_over: 1_000 })],
  [
    'a budget that is used up',
    async ({ told }) => {
      await told('book__echo', text('1'))
      await told('book__echo', text('2'))
    },
  ],
  [
    'a consent that covers it',
    async (stage) => {
      await consentFor(stage, 'book__note', 1)
      await stage.told('book__note', text('x1'))
      await stage.told('book__note', text('x2'))
    },
  ],
  [
    'a dry run spends no consent',
    async (stage) => {
      await consentFor(stage, 'book__note', 1)
      await stage.told('book__note', text('x1'), { dry_run: 'only' })
    },
  ],
  [
    'a key whose calls are used up',
    async ({ told, keyed }) => {
      const { caller } = await keyed({ calls: 1 })
      await told('book__note_again', text('1'), { caller })
      await told('book__note_again', text('2'), { caller })
    },
  ],
  [
    'a tool outside the grant',
    async ({ told, keyed }) => {
      const { caller } = await keyed({ tools: ['book__look'] })
      await told('book__note_again', text('1'), { caller })
    },
  ],
  [
    'a key that was revoked',
    async (stage) => {
      const { caller, key_id } = await stage.keyed()
      await revoke(stage, key_id)
      await stage.told('book__note_again', text('1'), { caller })
    },
  ],
  [
    'too many requests of one caller',
    async ({ told }) => {
      for (const words of ['1', '2', '3']) await told('book__note', text(words))
    },
    { config: { approvals: { pending_per_caller: 2 } } },
  ],
  [
    'a pause that blocks',
    async ({ told, pause, caller }) => {
      await pause(`caller:${caller.id}`)
      await told('book__look')
    },
  ],
  [
    'a pause that asks, and a dry run by rule',
    async ({ told, pause, caller }) => {
      await pause(`caller:${caller.id}`, 'ask')
      await told('book__note', text('tried'))
    },
  ],
  [
    'observe: what would have been held runs',
    ({ told }) => told('book__note', text('x')),
    { policy: 'preset: observe' },
  ],
  [
    'a run that asks for at least a person',
    ({ told }) =>
      told(
        'book__look',
        {},
        { by_run: { run_id: `run_${'0'.repeat(16)}`, kind: 'toolflow', step: 's', at_least: 'ask', lane: null } },
      ),
  ],
  ['a command of a client that is blocked', (stage) => judged(stage, 'rm -rf ~')],
  ['a command of a client that only reads', (stage) => judged(stage, 'ls')],
  [
    'a command of a client, held, and made again while it waits',
    async (stage) => {
      await judged(stage, 'touch x')
      await judged(stage, 'touch x')
      await judged(stage, 'touch x', 's2')
    },
  ],
  [
    'a command of a client, approved, and made again twice',
    async (stage) => {
      const { approval_id = '' } = (await judged(stage, 'touch x')) as { approval_id?: string }
      await approveShown(stage.gate, APPROVER, approval_id)
      await judged(stage, 'touch x')
      await judged(stage, 'touch x')
    },
  ],
]
