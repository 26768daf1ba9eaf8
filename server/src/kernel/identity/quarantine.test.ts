import { describe, expect, test } from 'vitest'
import type { PauseRow } from '../contract/pause.ts'
import type { Verdict } from '../contract/verdict.ts'
import { callWith } from '../decide/neutral-facts.suite.ts'
import type { Change, Ledger } from '../ports/ledger.ts'
import type { Tables } from '../ports/reads.ts'
import { commitAndStop, stoppingChanges } from './quarantine.ts'

const SCOPE = 'caller:agent:a'
const stopped: PauseRow = { v: 1, scope: SCOPE, effect: 'block', active: true, by: 'trap', reason: '', at: 0 }
const opinion = { decider: 'trap', rule: 'trap.token', says: '', source: 'traps.tokens.0', at: 0 } as const
const sprung: Verdict = { effect: 'block', evidence: [{ ...opinion, effect: 'block' }] }
const record: Change = { kind: 'once', key: 'the call itself', until: 1 }

const trapped = { name: 'trap', rank: 40, stops_caller: true, judge: () => [] } as const

/** One versioned pause row; `meanwhile` happens between each read and the commit that follows it. */
function pauseStore(first: PauseRow | undefined, meanwhile: readonly PauseRow[] = []) {
  let held = first === undefined ? undefined : { version: 1, row: first, cursor: 1 }
  const pending = [...meanwhile]
  const audited: string[] = []
  const tables = { row: async () => held } as unknown as Tables
  const ledger: Ledger = {
    async commit(changes) {
      const next = pending.shift()
      if (next !== undefined) held = { version: (held?.version ?? 0) + 1, row: next, cursor: 1 }
      const isStale = (change: Change) =>
        (change.kind === 'expect' && change.version !== (held?.version ?? 'absent')) ||
        (change.kind === 'swap' && change.from !== (held?.version ?? 'absent'))
      const lost = changes.findIndex(isStale)
      if (lost >= 0) return { lost }
      for (const change of changes) {
        if (change.kind === 'swap' && change.table === 'pauses')
          held = { version: (held?.version ?? 0) + 1, row: change.to, cursor: 1 }
        if (change.kind === 'audit') audited.push(change.entry.type)
      }
      return 'committed'
    },
  }
  return { deps: { tables, ledger, judgement: { deciders: [trapped] } }, now: () => held?.row, audited }
}
const stop = (store: ReturnType<typeof pauseStore>, verdict = sprung) =>
  commitAndStop(store.deps.ledger, [record], () => stoppingChanges(store.deps, callWith({}), verdict, 5))

describe('a quarantine', () => {
  test('is written with the record, even over a pause that was lifted or only asked', async () => {
    for (const before of [undefined, { ...stopped, active: false }, { ...stopped, effect: 'ask' as const }]) {
      const store = pauseStore(before)
      expect(await stop(store)).toBe('committed')
      expect(store.now()).toMatchObject({ active: true, effect: 'block', by: 'trap' })
      expect(store.audited).toEqual(['trap.sprung'])
    }
  })

  test('law: whatever an admin does to the pause in the meantime, the caller is stopped after the finding', async () => {
    const lifted = { ...stopped, active: false, by: 'admin:x' }
    for (const meanwhile of [[lifted], [stopped], [lifted, stopped, lifted], [stopped, lifted], [lifted, lifted]]) {
      for (const before of [undefined, stopped, lifted]) {
        const store = pauseStore(before, meanwhile)
        expect(await stop(store)).toBe('committed')
        expect(store.now()).toMatchObject({ active: true, effect: 'block' })
        expect(store.audited).toEqual(['trap.sprung'])
      }
    }
  })

  test('ignores a call that triggered nothing, and passes on what else was lost', async () => {
    const store = pauseStore(undefined)
    expect(await stop(store, { effect: 'block', evidence: [{ ...opinion, decider: 'policy', effect: 'block' }] })).toBe(
      'committed',
    )
    expect(store.now()).toBeUndefined()
    const losing: Change = { kind: 'expect', table: 'calls', id: 'x', version: 7 }
    const again = pauseStore(undefined)
    const stopping = () => stoppingChanges(again.deps, callWith({}), sprung, 5)
    expect(await commitAndStop(again.deps.ledger, [record, losing], stopping)).toEqual({ lost: 1 })
    expect(again.now()).toBeUndefined()
    const added = { commit: () => Promise.resolve({ lost: 9 }) }
    expect(await commitAndStop(added, [record], stopping)).toEqual({ lost: 9 })
  })
})
