import { once } from 'node:events'
import type { Ledger } from '../../kernel/ports/ledger.ts'
import { approval, approvalId, note, runId } from './ledger-fixtures.suite.ts'

export const ROUNDS = 30
export const UNITS = 50
export const SPENDS = 40

/** What one racing process won. */
export type RaceReport = { approvals: number[]; nonces: number[]; spent: number }

/** The body of a racing process: says that it is ready, waits for a line, races, and prints what it won. */
export async function race(ledger: Ledger, name: string): Promise<void> {
  process.stdout.write('ready\n')
  await once(process.stdin, 'data')
  const report: RaceReport = { approvals: [], nonces: [], spent: 0 }
  for (let round = 0; round < ROUNDS; round += 1) {
    const id = approvalId(round)
    const outcome = await ledger.commit([
      { kind: 'swap', table: 'approvals', id, from: 1, to: approval(id, 'consumed') },
      note(`${name} approval ${round}`),
    ])
    if (outcome === 'committed') report.approvals.push(round)
    const first = await ledger.commit([{ kind: 'once', key: `nonce ${round}`, until: 9e12 }])
    if (first === 'committed') report.nonces.push(round)
  }
  const outcomes = await Promise.all(
    Array.from({ length: SPENDS }, (_, number) =>
      ledger.commit([
        { kind: 'event', run: runId(1), event: { type: 'spent', name, number } },
        { kind: 'spend', account: 'shared', units: 1 },
        note(`${name} spend ${number}`),
      ]),
    ),
  )
  report.spent = outcomes.filter((outcome) => outcome === 'committed').length
  process.stdout.write(`${JSON.stringify(report)}\n`)
  process.stdin.destroy()
}
