import { describe, expect, test } from 'vitest'
import type { CallRow, RecordedFacts } from '../contract/call.ts'
import type { Effect } from '../contract/verdict.ts'
import type { Policy } from './policy.ts'
import { diffPolicy } from './policies.ts'
import { loadDraft } from './load-policy.ts'
import type { Tables } from '../ports/reads.ts'
import { replayPolicy } from './replay-policy.ts'

const HASH = 'a'.repeat(64)
const digest = (text: string) => `digest of ${text}`
function policyOf(text: string): Policy {
  const loaded = loadDraft(digest, { text, file: 'draft.yaml' })
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problem))
  return loaded.value
}
const FORBIDS = policyOf('rules:\n  - { id: no, effect: block, match: { tag: diary }, says: no diaries }\n')

const WRITE: RecordedFacts = { now: 5, effects: ['write'], risk: 'medium', tags: ['diary'], lane: null }
function row(at: number, effect: Effect, judged?: RecordedFacts): CallRow {
  const opinion = { decider: 'policy', effect, rule: 'then', says: 'then', source: 'then', at }
  return {
    v: 1,
    call_id: `call_${String(at).padStart(24, '0')}`,
    caller: { kind: 'agent', id: 'agent:a', user: 'ana' },
    tool_id: 'book__note',
    server: 'book',
    definition_hash: HASH,
    canonical_args: '{}',
    args_hash: HASH,
    thread: 't',
    trace: 'trace',
    received_at: at,
    state: 'executed',
    verdict: { effect, evidence: [opinion] },
    policy_version: 'then',
    idempotent: false,
    attempt: 1,
    ...(judged === undefined ? {} : { judged }),
  }
}

/** Tables with only these calls. */
function tablesWith(rows: readonly CallRow[]): Tables {
  const held = rows.map((one, at) => ({ version: 1, cursor: at + 1, row: one }))
  const list = async (_: string, __: object, page: { limit: number; after?: number; newest_first?: boolean }) => {
    expect(page.newest_first).toBe(true)
    return held
      .toReversed()
      .filter(({ cursor }) => cursor < (page.after ?? Infinity))
      .slice(0, page.limit)
  }
  return { list, row: async () => undefined, count: async () => rows.length } as unknown as Tables
}

describe('a replay', () => {
  test('judges with the facts of the time, and says what would change', async () => {
    const tables = tablesWith([row(1, 'allow', WRITE), row(2, 'block', WRITE), row(3, 'allow', { ...WRITE, tags: [] })])
    const report = await replayPolicy({ tables }, FORBIDS, 0)
    expect(report).toMatchObject({ calls: 3, judged: 3, not_replayable: 0, more: false, left_off: 0 })
    expect(report.sums).toEqual({ 'allow → block': 1, 'allow → ask': 1 })
    expect(report.changes.map(({ received_at, way }) => [received_at, way])).toEqual([
      [3, 'stricter'],
      [1, 'stricter'],
    ])
  })

  test('counts calls whose facts were not stored, and does not guess', async () => {
    const tables = tablesWith([row(1, 'allow'), row(2, 'allow', WRITE)])
    expect(await replayPolicy({ tables }, FORBIDS, 0)).toMatchObject({ calls: 2, judged: 1, not_replayable: 1 })
  })

  test('a fact that was unknown then is unknown now, and blocks', async () => {
    const { tags: _, ...untagged } = WRITE
    const { changes } = await replayPolicy({ tables: tablesWith([row(1, 'ask', untagged)]) }, FORBIDS, 0)
    expect(changes[0]?.to).toMatchObject({ effect: 'block', rules: ['no'] })
  })

  test('goes back to the given time over any number of pages, and says if it stopped before', async () => {
    const rows = Array.from({ length: 950 }, (_, at) => row(at + 1, 'allow', WRITE))
    const tables = tablesWith(rows)
    expect(await replayPolicy({ tables }, FORBIDS, 101)).toMatchObject({ calls: 850, more: false })
    expect(await replayPolicy({ tables }, FORBIDS, 0)).toMatchObject({ calls: 950, more: false })
    expect(await replayPolicy({ tables }, FORBIDS, 0, 300)).toMatchObject({ calls: 300, more: true })
  })

  test('lists a limited number of changes and counts the rest', async () => {
    const rows = Array.from({ length: 1_205 }, (_, at) => row(at + 1, 'allow', WRITE))
    const report = await replayPolicy({ tables: tablesWith(rows) }, FORBIDS, 0)
    expect(report.changes).toHaveLength(1_000)
    expect(report).toMatchObject({ left_off: 205, sums: { 'allow → block': 1_205 } })
  })
})

describe('a diff', () => {
  const before = policyOf(
    `rules:
  - { id: stays, effect: ask, match: { server: book, tool: book__x }, says: one }
  - { id: moves, effect: ask, match: { tool: book__note }, when: args.a == 1, says: two }
  - { id: widens, effect: block, match: { tool: book__a }, says: five }
  - { id: goes, effect: block, match: { tool: book__wipe }, says: three }
`,
  )
  const after = policyOf(
    `preset: strict
rules:
  - { id: comes, effect: allow, match: { tool: book__look }, says: four }
  - { id: moves, effect: ask, strength: strong, match: { tool: book__note }, when: args.a == 2, says: two }
  - { id: stays, effect: ask, match: { tool: book__x, server: book }, says: one }
  - { id: widens, effect: block, match: { tool: [book__a, book__b] }, says: five }
`,
  )
  const cases = {
    file: 'cases.yaml',
    text: `
- { name: note, tool: { id: book__note, effects: [write], risk: medium }, call: { args: { a: 2 } }, verdict: { effect: ask, strength: simple } }
- { name: wipe, tool: { id: book__wipe, effects: [destructive], risk: high }, verdict: block }
- { name: look, tool: { id: book__look, effects: [read], risk: low }, verdict: allow }
`,
  }

  test('names rules, cases and calls that change, and nothing that does not', async () => {
    const deps = { digest, tables: tablesWith([row(1, 'allow', WRITE)]), current: () => before }
    const diff = await diffPolicy(deps, after, [cases], 0)
    if (!diff.ok) throw new Error(JSON.stringify(diff.problem))
    const { rules, cases: ran, replay } = diff.value
    expect(rules).toMatchObject({ same: false, preset: { before: 'careful', after: 'strict' } })
    expect(rules.added.map(({ rule }) => rule.id)).toEqual(['comes'])
    expect(rules.removed.map(({ rule }) => rule.id)).toEqual(['goes'])
    expect(rules.changed.map(({ id, parts }) => [id, parts])).toEqual([
      ['moves', ['strength', 'when']],
      ['widens', ['match']],
    ])
    expect(ran.run).toBe(3)
    expect(ran.changed.map(({ name, passes }) => [name, passes])).toEqual([
      ['note', { before: true, after: false }],
      ['wipe', { before: true, after: false }],
    ])
    expect(replay?.sums).toEqual({ 'allow → block': 1 })
  })

  test('of a policy with itself is empty, and reads no calls unless requested', async () => {
    const deps = { digest, tables: tablesWith([row(1, 'allow', WRITE)]), current: () => before }
    expect(await diffPolicy(deps, before, [cases], undefined)).toMatchObject({
      ok: true,
      value: { rules: { same: true, added: [], removed: [], changed: [] }, cases: { changed: [] } },
    })
  })

  test('with unreadable cases is rejected with their place', async () => {
    const deps = { digest, tables: tablesWith([]), current: () => before }
    expect(await diffPolicy(deps, after, [{ file: 'cases.yaml', text: '- nmae: x' }], undefined)).toMatchObject({
      ok: false,
      problem: { code: 'policy.cases_invalid' },
    })
  })
})
