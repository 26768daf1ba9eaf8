import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Json } from '../../contract/json.ts'
import { openSealedStore } from '../../../main/open-sealed-store.ts'
import { listTools } from '../../../adapters/mcp/surfaces.ts'
import { ADMIN, AGENT, openTestGate, settingsIn, until, type GateRig } from '../../../../test/helpers/with-gate.ts'
import { IS_WHOLE } from '../../../../test/some-of.ts'

const SERVERS = resolve(import.meta.dirname, '../../../../test/tool-servers')
const POLICY = 'rules: [{ id: all, effect: allow, match: { role: agent }, says: all }]'
const node = (script: string, env: object = {}) => ({
  command: process.execPath,
  args: [join(SERVERS, script)],
  env,
  tools: { become: { effects: ['read'] }, count: { effects: ['read'] } },
})

let folder: string
let rig: GateRig
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-many-tools-'))
})
afterEach(async () => {
  await rig.opened.close()
  rmSync(folder, { recursive: true, force: true })
})
const open = async (servers: object) => {
  const { book } = settingsIn(folder).config.servers
  rig = await openTestGate(folder, { policy: POLICY, config: { servers: { book, ...servers } } })
}
const toolsOf = (server: string) => rig.gate.catalogue.tools(ADMIN).filter(({ row }) => row.server === server)
const findingsOf = (server: string) =>
  rig.gate.catalogue.servers().find((report) => report.server === server)?.['findings']
const boundedIn = async () =>
  (await rig.gate.audit.page(undefined, 1, 1_000)).filter(({ type }) => type === 'server.listing_bounded')
/** As an earlier release without limits would have stored it. */
async function storeLongTitle(of: string): Promise<void> {
  const store = await openSealedStore({
    folder: join(of, 'data'),
    stream: 'main',
    onFault: () => {},
    onRejected: () => {},
  })
  if (!store.ok) throw new Error(JSON.stringify(store.problem))
  const held = await store.value.tables.row('tools', 'odd__become')
  if (held?.row.admitted === undefined) throw new Error('it is not admitted')
  const definition = { ...held.row.definition, title: 'l1Io0 '.repeat(10_000) }
  const to = { ...held.row, definition, admitted: { ...held.row.admitted, definition } }
  await store.value.ledger.commit([{ kind: 'swap', table: 'tools', id: 'odd__become', from: held.version, to }])
  await store.value.close()
}
const become = (tools: Json) => rig.call('odd__become', { tools })

describe('a server that lists more than is accepted', { timeout: 60_000 }, () => {
  const kept = { name: 'become', description: 'as listed first' }
  const huge = { name: 'huge', title: 'l1Io0 '.repeat(10_000), description: 'd'.repeat(40_000) }

  test('a title of 60,000 characters is cut, delays no call, and is reported once, also after a restart', async () => {
    await open({ odd: node('changing.ts'), other: node('changing.ts') })
    await become([kept, huge])
    await until(() => toolsOf('odd').some(({ row }) => row.definition.name === 'huge'))
    await until(() => JSON.stringify(findingsOf('odd')) !== '[]')
    const found = toolsOf('odd').find(({ row }) => row.definition.name === 'huge')?.row.definition
    expect([found?.title?.length, found?.description?.length]).toEqual([256, 32_768])
    expect(await rig.call('book__look')).toMatchObject({ status: 'executed' })
    const rules = ['title_cut', 'description_cut'].map((rule) => expect.objectContaining({ rule, tools: 1 }) as object)
    expect(findingsOf('odd')).toEqual(rules)
    await become([kept, huge, { name: 'another' }])
    await until(() => toolsOf('odd').some(({ row }) => row.definition.name === 'another'))
    expect(await boundedIn()).toHaveLength(2)
    await rig.opened.close()
    await open({ odd: { ...node('changing.ts'), args: ['-e', 'process.exit(1)'] } })
    expect(findingsOf('odd')).toEqual(rules)
    expect(await rig.call('book__look')).toMatchObject({ status: 'executed' })
  })

  test('a row of 60,000 characters that an earlier release stored opens at once', async () => {
    await open({ odd: node('changing.ts') })
    await rig.opened.close()
    await storeLongTitle(folder)
    await open({ odd: { ...node('changing.ts'), args: ['-e', 'process.exit(1)'] } })
    expect(
      toolsOf('odd').find(({ row }) => row.tool_id === 'odd__become')?.row.admitted?.definition.title,
    ).toHaveLength(256)
    expect(await rig.call('book__look')).toMatchObject({ status: 'executed' })
  })

  test('entries with names that are too long or taken, or that are not tools, are left out, and the others are offered', async () => {
    await open({ odd: node('changing.ts') })
    const tools = [kept, { ...kept, description: 'again' }, { name: 'n'.repeat(129) }, { name: '' }, { name: 'good' }]
    await become(tools)
    await until(() => JSON.stringify(findingsOf('odd')) !== '[]')
    const names = toolsOf('odd').map(({ row }) => row.definition.name)
    expect([names.includes('good'), names.includes('n'.repeat(129))]).toEqual([true, false])
    const rules = ['not_a_tool', 'name_too_long', 'name_taken'].map(
      (rule) => expect.objectContaining({ rule }) as object,
    )
    expect(findingsOf('odd')).toEqual(expect.arrayContaining(rules))
  })

  test('an empty list, or a list without a tool, removes no admission', async () => {
    await open({ odd: node('changing.ts') })
    const hash = toolsOf('odd').find(({ row }) => row.tool_id === 'odd__become')?.row.admitted?.hash
    await become([])
    await until(() => toolsOf('odd').some(({ row }) => row.tool_id === 'odd__become' && row.gone_at !== undefined))
    expect(await become([])).toMatchObject({ status: 'refused', problem: { code: 'tool.gone' } })
    await rig.opened.close()
    await open({ odd: node('changing.ts') })
    const [back] = toolsOf('odd').filter(({ row }) => row.tool_id === 'odd__become')
    expect([back?.row.gone_at, back?.row.admitted?.hash, back?.row.definition_hash]).toEqual([undefined, hash, hash])
    expect(await become([kept])).toMatchObject({ status: 'executed' })
  })
})

describe('a very large catalogue', () => {
  test('is read, changed and searched while calls are made', async () => {
    let turn = 0
    await open({ many: node('many-tools.ts', { TOOL_COUNT: '500', TEXT_LENGTH: '2000', CHANGE_EVERY_MS: '1000' }) })
    const changed = () => toolsOf('many').filter(({ row }) => row.admitted?.hash !== row.definition_hash).length
    await until(async () => {
      // A different text each time, because a repeated call would be held.
      expect(await rig.call('book__echo', { text: `turn ${(turn += 1)}` })).toMatchObject({ status: 'executed' })
      return changed() >= 2
    })
    expect(await rig.gate.catalogue.search(AGENT, 'look at the book')).toMatchObject({ ok: true })
  }, 240_000)

  test.skipIf(!IS_WHOLE)(
    'is listed in pages of a bounded size, every tool once',
    async () => {
      await open({ many: node('many-tools.ts', { TOOL_COUNT: '300', TEXT_LENGTH: '32768' }) })
      const names: unknown[] = []
      let cursor: string | undefined
      do {
        const page = listTools(rig.ports, AGENT, 'passthrough', 'new', { cursor })
        expect(JSON.stringify(page).length).toBeLessThan(5_000_000)
        names.push(...(page?.tools ?? []).map(({ name }) => name))
        cursor = page?.nextCursor
      } while (cursor !== undefined)
      expect(new Set(names).size).toBe(names.length)
      const offered = rig.gate.catalogue.tools(AGENT).map(({ row }) => row.tool_id)
      expect(names).toEqual(expect.arrayContaining(offered))
      expect(listTools(rig.ports, AGENT, 'passthrough', 'new', { cursor: 'x' })).toBeUndefined()
    },
    240_000,
  )

  test.skipIf(!IS_WHOLE)(
    'at most 5,000 tools of one server are accepted',
    async () => {
      await open({ many: node('many-tools.ts', { TOOL_COUNT: '6000', TEXT_LENGTH: '10' }) })
      expect(toolsOf('many')).toHaveLength(5_000)
      expect(findingsOf('many')).toEqual([expect.objectContaining({ rule: 'too_many_tools' })])
    },
    240_000,
  )
})
