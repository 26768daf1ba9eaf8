import type { Caller } from '../../contract/caller.ts'
import type { PauseRow, PauseScope } from '../../contract/pause.ts'
import { ok, refuse, type Result } from '../../contract/problems.ts'
import type { Clock, Ids, Ledger, Shelves } from '../ports.ts'

export type PauseDeps = {
  readonly shelves: Shelves
  readonly ledger: Ledger
  readonly clock: Clock
  readonly ids: Ids
}

export type PauseOrder = {
  readonly scope: PauseScope
  readonly effect: PauseRow['effect']
  readonly active: boolean
  readonly reason: string
}

/** Stops everything, or one caller, tool or server, at once; or lets it go on. Read again for every decision. */
export async function setPause(deps: PauseDeps, by: Caller, order: PauseOrder): Promise<Result<PauseRow>> {
  if (by.kind !== 'admin') return refuse('auth.forbidden', { needs: 'admin' })
  const held = await deps.shelves.row('pauses', order.scope)
  const row: PauseRow = { v: 1, ...order, by: by.id, at: deps.clock() }
  const recorded = await deps.ledger.commit([
    { kind: 'swap', table: 'pauses', id: order.scope, from: held?.version ?? 'absent', to: row },
    {
      kind: 'audit',
      entry: {
        at: row.at,
        type: order.active ? 'gate.paused' : 'gate.unpaused',
        actor: by.id,
        trace: deps.ids.trace(),
        subject: { scope: order.scope },
        about: { effect: order.effect, reason: order.reason },
      },
    },
  ])
  if (recorded === 'unavailable') return refuse('audit.unavailable')
  return recorded === 'committed' ? ok(row) : setPause(deps, by, order)
}

export async function listPauses(deps: Pick<PauseDeps, 'shelves'>): Promise<readonly PauseRow[]> {
  const held = await deps.shelves.list('pauses', {}, { limit: 1000 })
  return held.map(({ row }) => row).filter((row) => row.active)
}
