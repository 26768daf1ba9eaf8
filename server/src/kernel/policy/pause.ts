import type { Caller } from '../contract/caller.ts'
import type { PauseRow, PauseScope } from '../contract/pause.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import type { PasskeyPorts } from '../identity/passkeys.ts'
import { isLostToProof, provePerson, UNPROVEN, type ShownProof } from '../identity/prove-person.ts'
import type { Change, Ledger, Version } from '../ports/ledger.ts'
import { nearestTool } from '../text/nearest-tool.ts'
import type { Catalogue } from '../ports/catalogue.ts'
import type { Stored, Tables } from '../ports/reads.ts'
import type { Clock, Ids } from '../ports/runtime.ts'
import { isUnrecorded, refuseUnrecorded } from '../changes/unrecorded.ts'

export type PausePorts = {
  readonly tables: Tables
  readonly ledger: Ledger
  readonly clock: Clock
  readonly ids: Ids
  readonly catalogue: Pick<Catalogue, 'tool' | 'tools'>
  readonly serverReports: () => readonly { readonly server: string }[]
}

export type PauseOrder = {
  readonly scope: PauseScope
  readonly effect: PauseRow['effect']
  readonly active: boolean
  readonly reason: string
}

/**
 * Stops everything, or one caller, tool or server, immediately; or lets it continue. Read again for every decision. Lifting the
 * pause of a name (`caller:agent:claude`) also lifts those of individual users under that name. To stop needs no proof of the
 * person; to let continue does, and so does to hold what was blocked.
 */
export async function setPause(
  deps: PausePorts & PasskeyPorts,
  by: Caller,
  order: PauseOrder,
  shown: ShownProof,
): Promise<Result<PauseRow>> {
  if (by.kind !== 'admin') return refuse('auth.forbidden', { needs: 'admin' })
  const named = order.active ? namedIn(deps, order.scope) : ok(undefined)
  if (!named.ok) return named
  const held = await deps.tables.row('pauses', order.scope)
  const others = order.active ? [] : await pausesUnder(deps, order.scope)
  const isLooser = !order.active || (held?.row.active === true && held.row.effect === 'block' && order.effect === 'ask')
  const proven = isLooser ? await provePerson(deps, by, shown) : ok(UNPROVEN)
  if (!proven.ok) return proven
  const row: PauseRow = { v: 1, ...order, by: by.id, at: deps.clock() }
  const changes = [
    ...proven.value.changes,
    ...changesOf(deps, row, held?.version),
    ...others.flatMap((other) => changesOf(deps, { ...row, scope: other.row.scope }, other.version)),
  ]
  const recorded = await deps.ledger.commit(changes)
  if (recorded === 'committed') return ok(row)
  if (isUnrecorded(recorded)) return refuseUnrecorded(recorded)
  if (isLostToProof(proven.value, changes, recorded)) return refuse('request.replayed')
  return setPause(deps, by, order, shown)
}

/** A pause of something that does not exist would look as if it worked. Callers may appear later, but tools and servers are known. */
function namedIn({ catalogue, serverReports }: PausePorts, scope: PauseScope): Result<void> {
  const [kind, name] = [scope.slice(0, scope.indexOf(':')), scope.slice(scope.indexOf(':') + 1)]
  if (kind === 'tool' && catalogue.tool(name) === undefined) {
    const did_you_mean = nearestTool(name, catalogue.tools())
    return refuse('tool.unknown', { tool: name, ...(did_you_mean === undefined ? {} : { did_you_mean }) })
  }
  const servers = serverReports().map(({ server }) => server)
  return kind === 'server' && !servers.includes(name)
    ? refuse('server.unknown', { server: name, known: servers.join(', ') })
    : ok(undefined)
}

/** The active pauses of individual users' callers under this name. */
async function pausesUnder({ tables }: PausePorts, scope: PauseScope): Promise<readonly Stored<'pauses'>[]> {
  if (!scope.startsWith('caller:') || scope.includes(' ')) return []
  const held = await tables.list('pauses', {}, { limit: 1000 })
  return held.filter(({ row }) => row.active && row.scope.startsWith(`${scope} user:`))
}

function changesOf({ ids }: PausePorts, row: PauseRow, version: Version | undefined): Change[] {
  const { scope, effect, active, reason, by, at } = row
  return [
    { kind: 'swap', table: 'pauses', id: scope, from: version ?? 'absent', to: row },
    {
      kind: 'audit',
      entry: {
        at,
        type: active ? 'gate.paused' : 'gate.unpaused',
        actor: by,
        trace: ids.trace(),
        subject: { scope },
        about: { effect, reason },
      },
    },
  ]
}

export async function listPauses(deps: Pick<PausePorts, 'tables'>): Promise<readonly PauseRow[]> {
  const held = await deps.tables.list('pauses', {}, { limit: 1000 })
  return held.map(({ row }) => row).filter((row) => row.active)
}
