import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { openGate } from '../../../main/open-gate.ts'
import { gateOf, type Gate } from '../../../../test/helpers/use-gate.ts'
import { toolResult } from '../../../adapters/mcp/tool-result.ts'
import { ADMIN, AGENT, settingsIn } from '../../../../test/helpers/with-gate.ts'

const script = (how: string) => ({
  command: process.execPath,
  args: [resolve(import.meta.dirname, '../../../../test/tool-servers/starting.ts'), how],
  tools: { echo: { effects: ['read'] } },
})

/** A gate that was just opened, without waiting for its servers. */
async function withFreshGate(servers: object, use: (gate: Gate) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-fresh-'))
  const opened = await openGate(settingsIn(folder, { config: { servers } }), {
    log: () => {},
    url: () => 'http://gate.test',
  })
  if (!opened.ok) throw new Error(JSON.stringify(opened.problem))
  await use(gateOf(opened.value))
  await opened.value.close()
  rmSync(folder, { recursive: true, force: true })
}

const limited = { ...AGENT, grant: { key: 'k_x' as never, tools: ['slow__*'] } }

test('the first search and the first call after a start wait for a server that is still connecting', () =>
  withFreshGate({ slow: script('slow') }, async (gate) => {
    const found = gate.catalogue.search(AGENT, 'echo')
    const called = gate.calls.dispatch({ caller: AGENT, tool: 'slow__echo', args: {}, thread: 't1' })
    expect(await found).toMatchObject({ ok: true, value: [{ skill_id: 'slow__echo' }] })
    expect(await called).toMatchObject({ status: 'executed' })
  }))

test('a server that is down is named in lists, searches and calls, for callers who may see it', () =>
  withFreshGate({ slow: script('slow'), dead: script('dies') }, async (gate) => {
    await gate.catalogue.firstListing()
    expect(gate.catalogue.down(AGENT)).toMatchObject([
      { server: 'dead', code: expect.stringMatching(/^server\./) as unknown },
    ])
    expect(gate.catalogue.down(ADMIN)).toHaveLength(1)
    expect(gate.catalogue.down(limited)).toEqual([])
    const outcome = await gate.calls.dispatch({ caller: AGENT, tool: 'dead__echo', args: {}, thread: 't1' })
    expect(outcome).toMatchObject({ problem: { code: 'tool.unavailable', about: { server: 'dead' } } })
    expect(JSON.stringify(toolResult(outcome, false))).toMatch(/The tool server: `dead`/)
    expect(await gate.calls.dispatch({ caller: limited, tool: 'dead__echo', args: {}, thread: 't1' })).toMatchObject({
      problem: { code: 'tool.unknown' },
    })
  }))
