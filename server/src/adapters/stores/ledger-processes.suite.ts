import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { startChild } from '../../../test/built/start-child.ts'
import type { Change } from '../../kernel/ports/ledger.ts'
import { approval, approvalId, runId, wholeChain } from './ledger-fixtures.suite.ts'
import { ROUNDS, SPENDS, UNITS, type RaceReport } from './ledger-racer.suite.ts'
import type { Opener } from './ledger.suite.ts'

const NAMES = ['red', 'green', 'blue'] as const

export function processSuite({ create, open, racer }: Opener): void {
  test('of three racing processes exactly one wins each round, and the audit stays one chain', async () => {
    const address = await create()
    const ledger = await open(address)
    await ledger.commit([
      ...Array.from({ length: ROUNDS }, (_, round): Change => {
        const id = approvalId(round)
        return { kind: 'swap', table: 'approvals', id, from: 'absent', to: approval(id, 'approved') }
      }),
      { kind: 'open', account: 'shared', units: UNITS },
    ])
    const racers = await Promise.all(NAMES.map((name) => startRacer(racer, address, name)))
    const reports = await Promise.all(racers.map((go) => go()))

    const rounds = Array.from({ length: ROUNDS }, (_, round) => round)
    const sorted = (numbers: number[]) => numbers.toSorted((left, right) => left - right)
    expect(sorted(reports.flatMap(({ approvals }) => approvals))).toEqual(rounds)
    expect(sorted(reports.flatMap(({ nonces }) => nonces))).toEqual(rounds)
    expect(SPENDS * NAMES.length).toBeGreaterThan(UNITS)
    expect(reports.reduce((sum, { spent }) => sum + spent, 0)).toBe(UNITS)

    const events = await ledger.events(runId(1), 0, 1000)
    expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: UNITS }, (_, index) => index + 1))
    const entries = await wholeChain(ledger, 'main')
    expect(entries).toHaveLength(ROUNDS + UNITS)
    const written = new Set(entries.map(({ subject }) => subject['call']))
    for (const [index, name] of NAMES.entries()) {
      for (const round of reports[index]?.approvals ?? []) expect(written).toContain(`${name} approval ${round}`)
    }
  })
}

/** Starts the process and returns, once it is ready, the function that lets it run. */
async function startRacer(script: URL, address: string, name: string): Promise<() => Promise<RaceReport>> {
  const child = startChild(fileURLToPath(script), [address, name])
  expect(await child.line()).toBe('ready')
  return async () => {
    child.say('go\n')
    const line = await child.line()
    expect(await child.ended).toBe(0)
    return JSON.parse(line) as RaceReport
  }
}
