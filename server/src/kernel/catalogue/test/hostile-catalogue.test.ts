import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openGate, type OpenedGate } from '../../../main/open-gate.ts'
import { gateOf, type Gate } from '../../../../test/helpers/use-gate.ts'
import type { CallRequest } from '../../contract/call.ts'
import { estimateTokens } from '../../text/estimate-tokens.ts'
import { HOSTILE } from '../../../../test/tool-servers/hostile.ts'
import { ADMIN, AGENT, effectsIn, settingsIn, until } from '../../../../test/helpers/with-gate.ts'

const HOSTILE_SERVER = resolve(import.meta.dirname, '../../../../test/tool-servers/hostile.ts')
const hostile = (kind: string) => ({
  command: process.execPath,
  args: [HOSTILE_SERVER],
  env: { HOSTILE: kind },
})

let opened: OpenedGate
let gate: Gate
const folder = mkdtempSync(join(tmpdir(), 'sluice-hostile-'))
beforeAll(async () => {
  const policy = 'rules: [{ id: all, effect: allow, match: { effects: [read, write, external] }, says: fine }]'
  const { config } = settingsIn(folder, { policy })
  const more = { servers: { ...config.servers, evil: hostile(''), flood: hostile('flood') } }
  const flooded = Promise.withResolvers<void>()
  const result = await openGate(settingsIn(folder, { policy, config: more }), {
    url: () => 'http://gate.test',
    log: (_, says) => void (says.includes('over its limit') && flooded.resolve()),
  })
  if (!result.ok) throw new Error(JSON.stringify(result.problem))
  opened = result.value
  gate = gateOf(opened)
  // A server is ready after its whole list is stored. Does not wait for the flooding one, which has a whole timeout.
  const isReady = (name: string) =>
    gate.catalogue.servers().some(({ server, state }) => server === name && state === 'ready')
  await until(() => isReady('book') && isReady('evil'))
  await flooded.promise
})
afterAll(async () => {
  await opened.close()
  rmSync(folder, { recursive: true, force: true })
})

const call = (tool: string, args: CallRequest['args'] = {}) =>
  gate.calls.dispatch({ caller: AGENT, tool, args, thread: 't1' })
const idOf = (name: string) =>
  gate.catalogue.tools(ADMIN).find(({ row }) => row.server === 'evil' && row.definition.name === name)?.row.tool_id ??
  name
const cardOf = (name: string, full = false) => {
  const card = gate.catalogue.card(ADMIN, idOf(name), full)
  if (!card.ok) throw new Error(JSON.stringify(card.problem))
  return card.value
}
const found = async (query: string) => {
  const answer = await gate.catalogue.search(AGENT, query, 50)
  if (!answer.ok) throw new Error(JSON.stringify(answer.problem))
  return answer.value
}

describe('beside a hostile catalogue', () => {
  test('another server works, and an unreadable catalogue affects only its own server', async () => {
    expect(await call('book__look')).toMatchObject({ status: 'executed' })
    expect(gate.catalogue.tools(ADMIN).filter(({ row }) => row.server === 'flood')).toEqual([])
    expect(gate.catalogue.servers().find(({ server }) => server === 'flood')).not.toMatchObject({ state: 'ready' })
    const offered = gate.catalogue.tools(ADMIN).filter(({ row }) => row.server === 'evil')
    const names = offered.map(({ row }) => row.definition.name)
    expect(new Set(names)).toEqual(
      new Set(['heard', ...Object.values(HOSTILE).flatMap(({ name }) => (name === HOSTILE.deep.name ? [] : [name]))]),
    )
  })

  test('an instruction in a description is shown as text, and has no effect', async () => {
    expect(cardOf('helper').purpose).toBe(HOSTILE.instructions.description)
    expect(gate.catalogue.tool(ADMIN, 'book__wipe')?.row.admitted?.by).toBe('first-listing')
    expect(effectsIn(folder)).toEqual([])
    const types = (await gate.audit.page(undefined, 1, 1_000)).map(({ type }) => type)
    expect(types).not.toContain('tool.admitted')
  })

  test('invisible characters are shown as a dot on cards', async () => {
    const card = cardOf(HOSTILE.unseen.name)
    expect(card.title).toBe('·gnp.exe·')
    expect(card.purpose).toBe('Shows an image.······')
    expect(JSON.stringify(card.input_schema)).toContain('Where· it is')
  })

  test('equal names on two servers are two tools, and a look-alike is held even if the policy allows it', async () => {
    expect((await found('note')).map(({ skill_id }) => skill_id)).toEqual(
      expect.arrayContaining(['book__note', 'evil__note']),
    )
    expect(await call(idOf(HOSTILE.lookAlike.name))).toMatchObject({ status: 'pending' })
  })

  test('a long name is one short id', () => {
    expect(idOf(HOSTILE.longName.name)).toHaveLength(64)
  })

  test.each(
    Object.values(HOSTILE)
      .filter(({ name }) => name !== HOSTILE.deep.name)
      .map(({ name }) => [name.slice(0, 20), name]),
  )('the card of %s stays within its budget, and the full one is finite', (_, name) => {
    expect(estimateTokens(JSON.stringify(cardOf(name)))).toBeLessThanOrEqual(600)
    expect(JSON.stringify(cardOf(name, true)).length).toBeLessThan(400_000)
  })

  test('a pattern that would never finish gets an answer', async () => {
    const outcome = await call('evil__bomb', { text: `${'a'.repeat(60)}!` })
    expect(outcome).toMatchObject({ status: 'refused', problem: { code: 'call.args_invalid' } })
  })

  test('a schema that would never finish gets an answer', async () => {
    const outcome = await call('evil__doubling', { text: 'x' })
    expect(outcome).toMatchObject({ status: 'refused', problem: { code: 'call.args_invalid' } })
  })

  test('a name that hides something gets an id that does not, and is called by it', async () => {
    const id = idOf(HOSTILE.unseen.name)
    expect(id).toMatch(/^evil__in_visible_[0-9a-f]{16}$/)
    expect(await call(id, { at: 'x' })).toMatchObject({ status: 'executed' })
  })

  test('no name reaches a prototype', async () => {
    cardOf('pollute', true)
    await found('names that are not only names')
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
    expect(Object.keys(Object.prototype)).toEqual([])
  })
})
