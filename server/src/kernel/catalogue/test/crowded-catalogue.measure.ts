import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { ADMIN, AGENT, openTestGate, settingsIn, until, type GateRig } from '../../../../test/helpers/with-gate.ts'

const POLICY = 'rules: [{ id: all, effect: allow, match: { role: agent }, says: all }]'
/** How long background work may delay a call, in processor time, compared to an idle gate. */
const MOST_HELD_MS = 50

/** The longest time for which the event loop was blocked, in milliseconds of this thread's processor time. */
async function longestHold(work: () => Promise<void>): Promise<number> {
  let longest = 0
  let isOver = false
  let before = process.threadCpuUsage()
  const turn = (): void => {
    const now = process.threadCpuUsage()
    longest = Math.max(longest, (now.user - before.user + now.system - before.system) / 1_000)
    before = now
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  await work()
  isOver = true
  return longest
}

async function withServers(servers: object, use: (rig: GateRig) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-many-tools-'))
  const { book } = settingsIn(folder).config.servers
  const rig = await openTestGate(folder, { policy: POLICY, config: { servers: { book, ...servers } } })
  await use(rig)
  await rig.opened.close()
  rmSync(folder, { recursive: true, force: true })
}

test('a very large catalogue that changes delays calls by less than 50 ms', { timeout: 600_000 }, async () => {
  const calm = await longestHold(() => withServers({}, async (rig) => void (await rig.call('book__look'))))
  const env = { TOOL_COUNT: '5000', TEXT_LENGTH: '2000', CHANGE_EVERY_MS: '1000' }
  const many = {
    command: process.execPath,
    args: [resolve(import.meta.dirname, '../../../../test/tool-servers/many-tools.ts')],
    env,
  }
  const loud = await longestHold(() =>
    withServers({ many }, async (rig) => {
      const changed = () =>
        rig.gate.catalogue
          .tools(ADMIN)
          .filter(({ row }) => row.server === 'many' && row.admitted?.hash !== row.definition_hash).length
      let turn = 0
      await until(async () => {
        // A different text each time, because a repeated call would be held.
        expect(await rig.call('book__echo', { text: `turn ${(turn += 1)}` })).toMatchObject({ status: 'executed' })
        return changed() >= 2
      })
      expect(await rig.gate.catalogue.search(AGENT, 'look at the book')).toMatchObject({ ok: true })
    }),
  )
  console.log(`the longest delay: ${calm.toFixed(1)} ms alone, ${loud.toFixed(1)} ms beside 5,000 tools`)
  expect(loud - calm).toBeLessThan(MOST_HELD_MS)
})
