import type { RowMacs } from '../row-mac.ts'
import type { Account, GroupPlan } from './decide-group.ts'
import { fromPgText } from './pg-text.ts'

/** Accounts and journals as this node left them last. A guess: the database checks it. Bounded, the oldest is dropped first. */
export type Remembered = {
  account(id: string): Account | undefined
  last(run: string): number | undefined
  /** Only for a plan that is stored. */
  note(plan: GroupPlan): void
  forget(): void
}

const MOST = 20_000

export function remembered(macs: RowMacs): Remembered {
  const accounts = new Map<string, Account>()
  const runs = new Map<string, number>()
  return {
    account: (id) => accounts.get(id),
    last: (run) => runs.get(run),
    note(plan) {
      for (const [id, { now }] of plan.accounts) {
        if (typeof now === 'string') continue
        const mac = Buffer.from(macs.account(fromPgText(id), now.units, now.until)).toString('base64')
        put(accounts, id, { units: now.units, until: now.until, mac })
      }
      for (const [run, { last }] of plan.runs) if (last !== undefined) put(runs, run, last)
    },
    forget() {
      accounts.clear()
      runs.clear()
    },
  }
}

function put<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.size > MOST ? map.keys() : []
  if (oldest !== undefined) map.delete(oldest)
}
