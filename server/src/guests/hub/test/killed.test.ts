import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ProbePoint } from '../../../kernel/ports/runtime.ts'
import { until } from '../../../../test/helpers/with-gate.ts'
import { IS_WHOLE, someOf } from '../../../../test/some-of.ts'
import { died, kill, openPair, type Pair } from './with-hub.suite.ts'

type Death = { readonly who: 'hub' | 'node'; readonly at: ProbePoint; readonly nth: number }

/** The first message is the request, the second the outcome. */
const DEATHS: readonly Death[] = [
  { who: 'hub', at: 'node.stored', nth: 1 },
  { who: 'hub', at: 'node.storing', nth: 1 },
  { who: 'hub', at: 'decision.before', nth: 1 },
  { who: 'hub', at: 'decision.after', nth: 1 },
  { who: 'hub', at: 'node.storing', nth: 2 },
  { who: 'hub', at: 'node.stored', nth: 2 },
  { who: 'node', at: 'decision.after', nth: 1 },
  { who: 'node', at: 'decision.before', nth: 1 },
  { who: 'node', at: 'hub.sending', nth: 1 },
  { who: 'node', at: 'hub.sent', nth: 1 },
  { who: 'node', at: 'hub.sending', nth: 2 },
  { who: 'node', at: 'hub.sent', nth: 2 },
]

describe('an exchange in which one side is killed', () => {
  let pair: Pair
  beforeAll(async () => {
    pair = await openPair()
  })
  afterAll(() => pair.close())

  const startAgain = (who: Death['who'], at?: ProbePoint, nth?: number) =>
    who === 'hub' ? pair.startHub(at, nth) : pair.startNode(at, nth)

  /** The newest request with this text at the hub, in whichever state. */
  async function atHub(text: string): Promise<Record<string, unknown> | undefined> {
    const { body } = await pair.hub.http('GET', '/v1/approvals?state=any&limit=100', pair.approver)
    return (body['items'] as Record<string, unknown>[]).find((packet) => String(packet['proposed_args']).includes(text))
  }

  test.each(someOf(DEATHS, DEATHS.length))(
    'is executed exactly once if the $who dies at $at ($nth)',
    async ({ who, at, nth }) => {
      const text = `the ${who} dies at ${at} ${nth}.`
      await kill(pair[who])
      await startAgain(who, at, nth)
      const dying = pair[who]
      let isBack = false
      const comeBack = async () => {
        await died(dying)
        await startAgain(who)
        isBack = true
      }
      const back = comeBack()
      // It may be killed before it answers.
      await pair.hold(text).catch(() => undefined)
      await until(async () => {
        const packet = await atHub(text).catch(() => undefined)
        if (packet?.['state'] === 'pending')
          await pair.hub.approve(packet['approval_id'], pair.approver).catch(() => undefined)
        return isBack && packet?.['state'] === 'consumed'
      })
      await back
      expect(dying.process.signalCode).toBe('SIGKILL')
      expect(pair.effects().filter((line) => line.includes(text))).toHaveLength(1)
      const packet = await atHub(text)
      const outcomes = await pair.audit(pair.hub, 'node.outcome')
      expect(outcomes.filter(({ subject }) => subject['approval'] === packet?.['approval_id'])).toHaveLength(1)
      for (const gate of [pair.hub, pair.node]) expect((await gate.cli('audit', 'verify')).code).toBe(0)
    },
    120_000,
  )

  test.skipIf(!IS_WHOLE)(
    'a node that pins another key refuses calls at once, and works again with the right key',
    async () => {
      const file = join(pair.nodeFolder, 'sluice.yaml')
      const good = readFileSync(file, 'utf8')
      const config = JSON.parse(good) as { hub: { public_keys: string[] } }
      const wrong = { ...config, hub: { ...config.hub, public_keys: ['ab'.repeat(32)] } }
      await kill(pair.node)
      writeFileSync(file, JSON.stringify(wrong))
      await pair.startNode()
      const refused = await pair.hold('signed by a stranger')
      await pair.becomes(refused.call_id, 'hub.untrusted')
      await kill(pair.node)
      writeFileSync(file, good)
      await pair.startNode()
      const later = await pair.hold('signed by the hub')
      const { approval_id } = await pair.atHub('signed by the hub')
      await pair.hub.approve(approval_id, pair.approver)
      await pair.becomes(later.call_id, 'executed')
      expect(pair.effects().filter((line) => line.includes('stranger'))).toEqual([])
    },
    120_000,
  )

  test.skipIf(!IS_WHOLE)(
    'a slow hub is waited for, and its reply in time counts once',
    async () => {
      pair.between.meddle(async ({ forward }) => {
        await new Promise((done) => setTimeout(done, 3_000))
        return forward()
      })
      const { call_id } = await pair.hold('slowly')
      const { approval_id } = await pair.atHub('slowly')
      await pair.hub.approve(approval_id, pair.approver)
      await pair.becomes(call_id, 'executed')
      pair.between.meddle(undefined)
      expect(pair.effects().filter((line) => line.includes('slowly'))).toHaveLength(1)
    },
    120_000,
  )
})
