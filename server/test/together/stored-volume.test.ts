import { expect, test } from 'vitest'
import { runAgent } from '../../src/guests/agent/run-agent.ts'
import { runToolflow } from '../../src/guests/toolflow/run-toolflow.ts'
import { MOST_BYTES } from '../../src/kernel/attempt/stored-volume.ts'
import type { Ledger } from '../../src/kernel/ports/ledger.ts'
import { callerIdentity } from '../../src/kernel/contract/caller-identity.ts'
import { AGENT, until, USER, withGate, type GateRig } from '../helpers/with-gate.ts'

const HOUR = 3_600_000
const FULL = 2 ** 50

/** Every way by which a caller's own texts, or answers of tools, are stored. */
const WAYS: Readonly<Record<string, (rig: GateRig) => Promise<unknown>>> = {
  'a call': (rig) => rig.call('book__look'),
  'a dry run': (rig) => rig.call('book__note', { text: 'x' }, { dry_run: 'only' }),
  'a resource': ({ gate }) => gate.proxy.ask(AGENT, { method: 'resources/read', params: { uri: 'x://y' } }),
  'a list of resources': ({ gate }) => gate.proxy.ask(AGENT, { method: 'resources/list', params: {} }),
  'a toolflow': ({ gate }) => runToolflow(gate.ports, AGENT, { user_prompt: 'look', top_k: 1 }),
  'a message to the agent': ({ gate }) => runAgent(gate.ports, AGENT, { message: 'hello' }),
}

test('a caller who has stored too much in this hour is refused on every way, and nothing is executed', async () => {
  let ledger: Ledger | undefined
  const options = { around: { ledger: <T extends Ledger>(given: T) => ((ledger = given), given) } }
  await withGate(async (rig) => {
    const window = Math.floor(Date.now() / HOUR)
    // The hour may change while the test runs.
    const changes = [window, window + 1].map((one) => {
      const account = `stored ${one} ${callerIdentity(AGENT)}`
      return { kind: 'open', account, units: FULL - MOST_BYTES } as const
    })
    expect(await ledger?.commit(changes)).toBe('committed')
    for (const [name, way] of Object.entries(WAYS)) {
      const answer = JSON.stringify(await way(rig))
      expect(answer, name).toContain('call.too_much_stored')
      expect(answer, name).toContain('retry_after_s')
    }
    expect(rig.effects()).toEqual([])
    const recorded = async () =>
      (await rig.gate.audit.page(undefined, 1, 1_000)).filter(({ about }) => about?.['code'] === 'call.too_much_stored')
    await until(async () => (await recorded()).length > 0)
    const other = { caller: { ...AGENT, id: 'agent:b' } }
    expect(await rig.call('book__look', {}, other)).toMatchObject({ status: 'executed' })
    expect(await rig.call('book__look', {}, { caller: USER })).toMatchObject({ status: 'executed' })
    expect(await recorded()).toHaveLength(1)
  }, options)
}, 60_000)
