import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Caller } from '../../contract/caller.ts'
import { ADMIN, AGENT, APPROVER, openTestGate, type GateRig, USER } from '../../../../test/helpers/with-gate.ts'

/** Wiping is blocked for everybody, notes only for one agent, and shouting depending on its arguments. */
const RULES = `
rules:
  - { id: no-wiping, effect: block, match: { tool: book__wipe }, says: nobody wipes the book }
  - { id: reader, effect: block, match: { caller: 'agent:reader', effects: [write] }, says: this one only reads }
  - { id: no-shouting, effect: block, match: { tool: book__slow_note }, when: 'args.text == "X"', says: no shouting }
`
const READER: Caller = { kind: 'agent', id: 'agent:reader', user: 'ana' }

let rig: GateRig
const folder = mkdtempSync(join(tmpdir(), 'sluice-visible-'))
beforeAll(async () => void (rig = await openTestGate(folder, { policy: RULES })))
afterAll(async () => {
  await rig.opened.close()
  rmSync(folder, { recursive: true, force: true })
})

const listed = (caller: Caller) => rig.gate.catalogue.tools(caller).map(({ row }) => row.tool_id)
const found = async (caller: Caller, query: string) => {
  const answer = await rig.gate.catalogue.search(caller, query, 50)
  return answer.ok ? answer.value.map(({ skill_id }) => skill_id) : []
}

describe('the tools that a caller may see', () => {
  test.each([
    ['an agent', AGENT, 'book__wipe', false],
    ['a user', USER, 'book__wipe', false],
    ['an approver', APPROVER, 'book__wipe', true],
    ['an admin', ADMIN, 'book__wipe', true],
    ['an agent that only reads', READER, 'book__note', false],
    ['any other agent', AGENT, 'book__note', true],
    ['an agent whose arguments decide', AGENT, 'book__slow_note', true],
  ])('%s: %o %s %o, in the list, in search and by its card', async (_, caller, tool_id, seen) => {
    expect(listed(caller).includes(tool_id)).toBe(seen)
    expect(rig.gate.catalogue.tool(caller, tool_id) !== undefined).toBe(seen)
    expect((await found(caller, tool_id))[0] === tool_id).toBe(seen)
    expect((await found(caller, tool_id)).includes(tool_id)).toBe(seen)
    expect(rig.gate.catalogue.card(caller, tool_id, false).ok).toBe(seen)
  })

  test('a call to a hidden tool is blocked with the id of the rule', async () => {
    const outcome = await rig.call('book__wipe', { text: 'x' })
    expect(outcome).toMatchObject({
      status: 'refused',
      problem: { code: 'call.blocked', about: { rules: 'no-wiping' } },
    })
    expect(rig.gate.catalogue.card(AGENT, 'book__wipe', true)).toEqual({
      ok: false,
      problem: { code: 'tool.unknown', about: { tool: 'book__wipe' } },
    })
    expect(rig.effects()).toEqual([])
  })
})

describe('a card', () => {
  test.each([
    ['book__look', AGENT, 'runs: it only reads'],
    ['book__note', AGENT, 'held (simple): it changes a note, so a person decides'],
    ['book__wipe', ADMIN, 'blocked: nobody wipes the book'],
  ])('of %s says what will be asked', (tool_id, caller, asked) => {
    expect(rig.gate.catalogue.card(caller, tool_id, false)).toMatchObject({ ok: true, value: { asked } })
  })
})

describe('search', () => {
  test('finds a tool by what it does, and says why', async () => {
    expect(await rig.gate.catalogue.search(AGENT, 'write a note', 3)).toMatchObject({
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
  ])('refuses the query `%s` with top_k %s', async (query, top_k) => {
    expect(await rig.gate.catalogue.search(AGENT, query, top_k)).toMatchObject({
      ok: false,
      problem: { code: 'request.invalid' },
    })
  })

  test('finds nothing where no word is known', async () => {
    expect(await rig.gate.catalogue.search(AGENT, 'xylophone zebra')).toEqual({ ok: true, value: [] })
  })
})
