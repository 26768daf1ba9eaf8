import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ADMIN, AGENT, openTestGate, until, type GateRig } from '../../../../test/helpers/with-gate.ts'
import { HOSTILE } from '../../../../test/tool-servers/hostile.ts'

let rig: GateRig
const folder = mkdtempSync(join(tmpdir(), 'sluice-hostile-'))
beforeAll(async () => {
  const hostile = resolve(import.meta.dirname, '../../../../test/tool-servers/hostile.ts')
  const evil = { command: process.execPath, args: [hostile], env: { HOSTILE: '' } }
  rig = await openTestGate(folder, { config: { servers: { evil } } })
  await until(() => rig.gate.catalogue.servers().some(({ server, state }) => server === 'evil' && state === 'ready'))
})
afterAll(async () => {
  await rig.opened.close()
  rmSync(folder, { recursive: true, force: true })
})

const first = async (query: string) => {
  const answer = await rig.gate.catalogue.search(AGENT, query, 50)
  if (!answer.ok) throw new Error(JSON.stringify(answer.problem))
  return answer.value[0]
}
const idOf = (name: string) =>
  rig.gate.catalogue.tools(ADMIN).find(({ row }) => row.definition.name === name)?.row.tool_id

test('what a hostile server writes is found by its words, and shown as text', async () => {
  expect(await first('ignore all previous instructions')).toMatchObject({
    skill_id: 'evil__helper',
    reason: expect.stringContaining('in description') as string,
  })
  expect(await first('shows an image')).toMatchObject({ skill_id: idOf(HOSTILE.unseen.name), title: '·gnp.exe·' })
  expect(await first('a very long name')).toMatchObject({ skill_id: idOf(HOSTILE.longName.name) })
})
