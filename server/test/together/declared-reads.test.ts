import { expect, test } from 'vitest'
import { explainCall } from '../../src/guests/provenance/endpoints.ts'
import type { Change, Ledger, CommitResults } from '../../src/kernel/ports/ledger.ts'
import { ADMIN, AGENT, until, withGate } from '../helpers/with-gate.ts'

/** Whether the commit with the intent of each call waited for its fsync, by tool. */
function watched() {
  const synced: Record<string, boolean> = {}
  const ledger = (inner: Ledger & CommitResults): Ledger & CommitResults => ({
    resultOf: (id) => inner.resultOf(id),
    commit(changes) {
      const start = changes.find(isStart)
      if (start !== undefined) synced[start.to.tool_id] = changes.at(-1)?.kind !== 'sync_later'
      else if (changes.some(({ kind }) => kind === 'sync_later')) throw new Error('only an intent may wait')
      return inner.commit(changes)
    },
  })
  return { synced, around: { ledger } }
}

const isEnd = (change: Change): boolean =>
  change.kind === 'swap' && change.table === 'calls' && change.to.state === 'executed'
const isStart = (change: Change): change is Extract<Change, { kind: 'swap'; table: 'calls' }> =>
  change.kind === 'swap' && change.table === 'calls' && change.to.state === 'executing'

const POLICY = `rules: [{ id: all, effect: allow, match: { tool: 'book__*' }, says: runs at once }]`
const TOOLS = {
  look: { effects: ['read'] },
  echo: { effects: ['read', 'external'] },
  note_again: { effects: ['write'], idempotent: true },
}

test('only the intent of a tool that the operator declared to be a read is synced with the outcome', async () => {
  const { synced, around } = watched()
  // That `find_note` reads is only inferred from its name.
  const server = { trusted: true, tools: TOOLS }
  await withGate(
    async ({ call }) => {
      for (const tool of Object.keys(TOOLS)) await call(`book__${tool}`, { text: 'x' })
      await call('book__find_note', { title: 'x' })
      expect(synced).toEqual({
        book__look: false,
        book__echo: true,
        book__note_again: true,
        book__find_note: true,
      })
    },
    { policy: POLICY, server, around },
  )
})

test('a declared read that is a task, has a key or spends a budget is synced before it is sent', async () => {
  const { synced, around } = watched()
  const isSynced = async (use: () => Promise<unknown>) => {
    delete synced['book__look']
    await use()
    return synced['book__look']
  }
  await withGate(
    async ({ call, gate }) => {
      const request = { caller: AGENT, tool: 'book__look', args: {}, thread: 't2' }
      expect(await isSynced(() => call('book__look'))).toBe(false)
      expect(await isSynced(() => call('book__look', {}, { idempotency_key: 'key-1' }))).toBe(true)
      expect(await isSynced(() => call('book__look', {}, { as_task: true }))).toBe(true)
      expect(await isSynced(() => gate.calls.dispatch(request, { onStarted: () => {} }))).toBe(true)
    },
    { around },
  )
  const config = { budgets: [{ id: 'few', match: { tool: 'book__look' }, calls: 3, per: 'day' }] }
  await withGate(async ({ call }) => expect(await isSynced(() => call('book__look'))).toBe(true), { config, around })
})

/** A ledger that refuses the nth commit about a call that `isMeant` names. */
const refusing = (isMeant: (change: Change) => boolean) => {
  let left = 1
  return {
    ledger: (inner: Ledger & CommitResults): Ledger & CommitResults => ({
      resultOf: (id) => inner.resultOf(id),
      commit: async (changes) => (changes.some(isMeant) && left-- > 0 ? 'unavailable' : inner.commit(changes)),
    }),
  }
}
const SLOW = { server: { tools: { slow_note: { effects: ['read'] } } }, policy: POLICY }

test('a declared read whose intent cannot be written is not sent', () =>
  withGate(
    async ({ call, effects }) => {
      expect(await call('book__slow_note', { text: 'x' })).toMatchObject({ problem: { code: 'audit.unavailable' } })
      expect(effects()).toEqual([])
      expect(await call('book__slow_note', { text: 'x' })).toMatchObject({ status: 'executed' })
    },
    { ...SLOW, around: refusing(isStart) },
  ))

test('the answer of a declared read whose outcome cannot be recorded is not released, and recorded as soon as it can be', () =>
  withGate(
    async ({ gate, call, effects }) => {
      const outcome = await call('book__slow_note', { text: 'x' })
      expect(outcome).toMatchObject({ status: 'unknown', problem: { code: 'audit.unavailable' } })
      expect(JSON.stringify(outcome)).not.toContain('noted slowly')
      expect(effects()).toHaveLength(1)
      const id = 'call_id' in outcome && outcome.call_id !== undefined ? outcome.call_id : ''
      await until(async () => {
        const read = await gate.calls.read(ADMIN, id)
        return read.ok && read.value.status === 'executed'
      })
      // The row is visible a moment before the gate accepts calls again.
      await until(async () => (await call('book__slow_note', { text: 'y' })).status === 'executed')
    },
    { ...SLOW, around: refusing(isEnd) },
  ))

test('the card of a declared read, and why a call to it ran, say how it is recorded; those of other tools do not', () =>
  withGate(
    async ({ gate, call }) => {
      const cardOf = (tool: string) => {
        const card = gate.catalogue.card(AGENT, tool, false)
        return card.ok ? card.value : undefined
      }
      const whyOf = async (tool: string) => {
        const outcome = await call(tool, { text: 'x', title: 'x' })
        const why = await explainCall(gate.ports, ADMIN, 'call_id' in outcome ? (outcome.call_id ?? '') : '')
        return why.ok ? why.value : undefined
      }
      const says = /^the operator declared that this tool only reads: .* together with the outcome$/
      for (const said of [cardOf('book__look'), await whyOf('book__look')]) expect(said?.declared_read).toMatch(says)
      for (const other of ['book__echo', 'book__find_note'])
        for (const said of [cardOf(other), await whyOf(other)]) {
          expect(said).toBeDefined()
          expect(said).not.toHaveProperty('declared_read')
        }
    },
    { policy: POLICY, server: { trusted: true, tools: TOOLS } },
  ))
