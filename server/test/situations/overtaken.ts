import { ADMIN } from '../helpers/with-gate.ts'
import {
  HARD,
  type Situation,
  text,
  title,
  before,
  unavailableAt,
  companionLostAt,
  forge,
  revoke,
  consentFor,
  judged,
} from './stage.ts'

/** Something changes between the judgement and the commit. */
export const OVERTAKEN: readonly Situation[] = [
  [
    'a pause while a call starts',
    async (stage) => {
      before(1, ({ pause, caller }) => pause(`caller:${caller.id}`))(stage)
      await stage.told('book__note_again', text('x'))
    },
  ],
  [
    'a pause that asks while a call starts',
    async (stage) => {
      before(1, ({ pause, caller }) => pause(`caller:${caller.id}`, 'ask'))(stage)
      await stage.told('book__note_again', text('x'))
    },
  ],
  [
    'a pause while a dry run starts',
    async (stage) => {
      before(1, ({ pause, caller }) => pause(`caller:${caller.id}`))(stage)
      await stage.told('book__note', text('tried'))
    },
  ],
  [
    'a pause while the check is recorded',
    async (stage) => {
      before(1, ({ pause, caller }) => pause(`caller:${caller.id}`))(stage)
      await stage.told('book__keep_note', title('five'))
    },
  ],
  [
    'a pause after the check, before the start',
    async (stage) => {
      before(2, ({ pause, caller }) => pause(`caller:${caller.id}`))(stage)
      await stage.told('book__keep_note', title('six'))
    },
  ],
  [
    'another policy during the check',
    async (stage) => {
      before(1, ({ loadPolicy }) => loadPolicy(HARD))(stage)
      await stage.told('book__keep_note', title('seven'))
    },
    'own gate',
  ],
  [
    'a key that is revoked while a call starts',
    async (stage) => {
      const { caller, key_id } = await stage.keyed()
      stage.recorder.begin()
      before(1, (at) => revoke(at, key_id))(stage)
      await stage.told('book__note_again', text('x'), { caller })
    },
  ],
  [
    'the last unit of a budget is taken',
    async (stage) => {
      before(1, ({ call }) => call('book__echo', text('other')))(stage)
      await stage.told('book__echo', text('one'))
    },
  ],
  [
    'the last unit of a consent is taken',
    async (stage) => {
      await consentFor(stage, 'book__note', 1)
      stage.recorder.begin()
      before(1, ({ call }) => call('book__note', text('x other')))(stage)
      await stage.told('book__note', text('x one'))
    },
  ],
  [
    'a consent is revoked',
    async (stage) => {
      const consent_id = await consentFor(stage, 'book__note', 5)
      stage.recorder.begin()
      before(1, ({ gate }) => gate.consents.revoke(ADMIN, consent_id))(stage)
      await stage.told('book__note', text('x one'))
    },
  ],
  [
    'the last call of a key is taken',
    async (stage) => {
      const { caller } = await stage.keyed({ calls: 1 })
      stage.recorder.begin()
      before(1, ({ call }) => call('book__note_again', text('other'), { caller }))(stage)
      await stage.told('book__note_again', text('one'), { caller })
    },
  ],
  [
    'the last place for a request is taken',
    async (stage) => {
      before(1, ({ call }) => call('book__note', text('other')))(stage)
      await stage.told('book__note', text('one'))
    },
    { config: { approvals: { pending_per_caller: 1 } } },
  ],
  [
    'the same key is taken by an equal call',
    async (stage) => {
      before(1, ({ call }) => call('book__note_again', text('x'), { idempotency_key: 'k' }))(stage)
      await stage.told('book__note_again', text('x'), { idempotency_key: 'k' })
    },
  ],
  [
    'the same key is taken by another call',
    async (stage) => {
      before(1, ({ call }) => call('book__note_again', text('y'), { idempotency_key: 'k' }))(stage)
      await stage.told('book__note_again', text('x'), { idempotency_key: 'k' })
    },
  ],
  [
    'two equal commands of a client are held at once',
    async (stage) => {
      before(1, (at) => judged(at, 'touch x'))(stage)
      await judged(stage, 'touch x')
    },
  ],
  [
    'the ledger is unavailable at the start',
    async (stage) => {
      unavailableAt(1)(stage)
      await stage.told('book__note_again', text('x'))
    },
  ],
  [
    'the ledger is unavailable while a call is held',
    async (stage) => {
      unavailableAt(1)(stage)
      await stage.told('book__note', text('y'))
    },
  ],
  [
    'the ledger is unavailable for a block',
    async (stage) => {
      unavailableAt(1)(stage)
      await stage.told('book__wipe', text('x'))
    },
  ],
  [
    'the ledger is unavailable for a dry run',
    async (stage) => {
      unavailableAt(1)(stage)
      await stage.told('book__note', text('tried'))
    },
  ],
  [
    'the ledger is unavailable for a check',
    async (stage) => {
      unavailableAt(1)(stage)
      await stage.told('book__keep_note', title('eight'))
    },
  ],
  [
    'a call overtaken every time gives up',
    async (stage) => {
      stage.recorder.before(async () => {
        await forge(stage, 'tools', 'book__note_again', {})
        return undefined
      })
      await stage.told('book__note_again', text('x'))
    },
    'own gate',
  ],
  [
    'a dry run that was made is kept when its call is overtaken',
    async (stage) => {
      before(2, (at) => forge(at, 'tools', 'book__note', {}))(stage)
      await stage.told('book__note', text('tried'))
    },
    'own gate',
  ],
  [
    'a consent that changes every time: a person is asked',
    async (stage) => {
      const consent_id = await consentFor(stage, 'book__note', 50)
      stage.recorder.begin()
      stage.recorder.before(async () => {
        await forge(stage, 'consents', consent_id, {})
        return undefined
      })
      await stage.told('book__note', text('x one'))
    },
  ],
  [
    'something that was added to the commit of a start is lost',
    async (stage) => {
      companionLostAt(1)(stage)
      await stage.told('book__note_again', text('x'))
    },
  ],
  [
    'something that was added to the commit of a block is lost',
    async (stage) => {
      companionLostAt(1)(stage)
      await stage.told('book__wipe', text('x'))
    },
  ],
]
