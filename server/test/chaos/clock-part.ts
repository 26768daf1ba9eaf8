import { setTimeout as sleep } from 'node:timers/promises'
import { openChaosNodes } from './chaos-nodes.ts'
import { checkExpiries, EXPIRES_S, wakeTwice, type ClockRig } from './clock-checks.ts'
import { fakedClock, FAKETIME } from './faked-clock.ts'
import { loadNodes } from './load-on-nodes.ts'
import { mustExecute, mustRun } from './node-checks.ts'
import { pick, seeded } from './random.ts'
import { addCounts, skipped, type PartReport } from './report.ts'

const CLIENTS = 8
const JUMPS = 24
const SHORT_JUMPS = 4
const HOUR = 3_600
const OFFSETS: readonly number[] = [0, 0, 4, -4, 301, -301, HOUR, -HOUR, 48 * HOUR, -48 * HOUR]

/**
 * The clocks of two nodes jump forwards and backwards independently: once with a token, a request, a consent and a schedule that
 * are checked, then many times under load. Nothing expired is used, nothing runs twice, and no node exits.
 */
export async function clockPart(setup: {
  readonly seed: number
  readonly isShort: boolean
  readonly hasPostgres: boolean
}): Promise<PartReport> {
  const part = 'clocks that jump on two nodes, with load'
  if (!setup.hasPostgres) return skipped(part, 'there is no Postgres')
  if (FAKETIME === undefined) return skipped(part, 'there is no libfaketime (npm run get-faketime)')
  const clocks = [fakedClock(FAKETIME), fakedClock(FAKETIME)] as const
  const nodes = await openChaosNodes({ config: { approvals: { expires_s: EXPIRES_S } } })
  const random = seeded(setup.seed)
  try {
    const both = [await nodes.start({ env: clocks[0].env }), await nodes.start({ env: clocks[1].env })] as const
    const prober = await both[0].key('agent', 'p', 'pia')
    let faults: Readonly<Record<string, number>> = {}
    const set = (which: 0 | 1, seconds: number): void => {
      clocks[which].set(seconds)
      faults = addCounts(faults, {
        [seconds < 0 ? 'clock set back' : seconds > 0 ? 'clock set ahead' : 'clock corrected']: 1,
      })
    }
    const rig: ClockRig = { nodes, both, set, found: [] }
    await checkExpiries(rig)
    const rings = await wakeTwice(rig)
    for (const which of [0, 1] as const) set(which, 0)
    const { load, finish } = await loadNodes(nodes, both, { seed: setup.seed, clients: CLIENTS, isTwice: true })
    for (let jump = 0; jump < (setup.isShort ? SHORT_JUMPS : JUMPS); jump += 1) {
      set(pick(random, [0, 1] as const), pick(random, OFFSETS))
      await sleep(500 + random() * 1_500)
      for (const node of both) mustRun(node)
    }
    await mustExecute(both, prober, 'with clocks that differ', load.record)
    for (const which of [0, 1] as const) set(which, 0)
    await mustExecute(both, prober, 'with clocks that are right', load.record)
    const notes = [`${rings} times of a schedule, each once`, await finish()]
    const { checks, violations } = await nodes.check({ isOneClock: false })
    return { part, faults, checks, violations: [...rig.found, ...violations], notes }
  } finally {
    await nodes.stop()
    for (const clock of clocks) clock.remove()
  }
}
