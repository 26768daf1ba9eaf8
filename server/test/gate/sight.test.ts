import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Caller } from '../../src/contract/caller.ts'
import { ADMIN, AGENT, APPROVER, openTestGate, type GateRig, USER } from './with-gate.ts'

/** Wiping is blocked for all, notes only for one agent, shouting only by what is said. */
const RULES = `
rules:
  - { id: no-wiping, effect: block, match: { tool: book__wipe }, says: nobody wipes the book }
  - { id: reader, effect: block, match: { caller: 'agent:reader', effects: [write] }, says: this one only reads }
  - { id: no-shouting, effect: block, match: { tool: book__slow_note }, when: 'args.text == "X"', says: no shouting }
`
const READER: Caller = { kind: 'agent', id: 'agent:reader', user: 'ana' }

let rig: GateRig
const folder = mkdtempSync(join(tmpdir(), 'sluice-sight-'))
beforeAll(async () => void (rig = await openTestGate(folder, { policy: RULES })))
afterAll(async () => {
  await rig.opened.close()
  rmSync(folder, { recursive: true, force: true })
})

const listed = (caller: Caller) => rig.gate.tools(caller).map(({ row }) => row.tool_id)
const found = (caller: Caller, query: string) => {
  const answer = rig.gate.search(caller, query, 50)
  return answer.ok ? answer.value.map(({ skill_id }) => skill_id) : []
}

describe('what a caller may know of', () => {
  test.each([
    ['an agent', AGENT, 'book__wipe', false],
    ['a user', USER, 'book__wipe', false],
    ['an approver', APPROVER, 'book__wipe', true],
    ['an admin', ADMIN, 'book__wipe', true],
    ['an agent that only reads', READER, 'book__note', false],
    ['any other agent', AGENT, 'book__note', true],
    ['an agent whose arguments decide', AGENT, 'book__slow_note', true],
  ])('%s: %o %s %o, in the list, in search and by its card', (_, caller, tool_id, seen) => {
    expect(listed(caller).includes(tool_id)).toBe(seen)
    expect(rig.gate.tool(caller, tool_id) !== undefined).toBe(seen)
    expect(found(caller, tool_id)[0] === tool_id).toBe(seen)
    expect(found(caller, tool_id).includes(tool_id)).toBe(seen)
    expect(rig.gate.card(caller, tool_id, false).ok).toBe(seen)
  })

  test('a call to what is hidden answers to the letter like one to what does not exist, with good arguments and bad', async () => {
    const instead = (outcome: unknown, from: string) => JSON.stringify(outcome).replaceAll(from, 'X')
    const missing = instead(await rig.call('book__nothing', { text: 'x' }), 'book__nothing')
    for (const args of [{ text: 'x' }, { text: 7 }, {}, null])
      expect(instead(await rig.call('book__wipe', args), 'book__wipe')).toBe(missing)
    const dry = await rig.call('book__wipe', { text: 'x' }, { dry_run: 'only' })
    expect(instead(dry, 'book__wipe')).toBe(missing)
    expect(rig.gate.card(AGENT, 'book__wipe', true)).toEqual({
      ok: false,
      problem: { code: 'tool.unknown', about: { tool: 'book__wipe' } },
    })
    expect(rig.effects()).toEqual([])
  })

  test('the audit has the verdict and its rule, whatever the caller was told', async () => {
    await rig.call('book__wipe', { text: 'x' }, { thread: 'probing' })
    const entries = await rig.gate.auditPage(undefined, 1, 1_000)
    const entry = entries.find(({ subject }) => subject?.thread === 'probing')
    expect(entry).toMatchObject({ type: 'call.blocked', verdict: { effect: 'block' } })
    expect(entry?.verdict?.evidence.map(({ rule }) => rule)).toContain('no-wiping')
  })
})

describe('a card', () => {
  test.each([
    ['book__look', AGENT, 'runs: it only reads'],
    ['book__note', AGENT, 'held (simple): it changes something, so a person decides'],
    ['book__wipe', ADMIN, 'blocked: nobody wipes the book'],
  ])('of %s says what will be asked', (tool_id, caller, asked) => {
    expect(rig.gate.card(caller, tool_id, false)).toMatchObject({ ok: true, value: { asked } })
  })
})

describe('search', () => {
  test('finds a tool by what it does, and says why', () => {
    expect(rig.gate.search(AGENT, 'write a note', 3)).toMatchObject({
      ok: true,
      value: [
        {
          skill_id: expect.stringContaining('note') as string,
          reason: expect.stringContaining('note in name') as string,
        },
        {},
        {},
      ],
    })
  })

  test.each([
    ['', 5],
    ['   ', 5],
    ['note', 0],
    ['note', 51],
    ['note', 1.5],
    ['note', Number.NaN],
  ])('refuses the query `%s` with top_k %s', (query, top_k) => {
    expect(rig.gate.search(AGENT, query, top_k)).toMatchObject({ ok: false, problem: { code: 'request.invalid' } })
  })

  test('finds nothing where no word is known', () => {
    expect(rig.gate.search(AGENT, 'xylophone zebra')).toEqual({ ok: true, value: [] })
  })
})
