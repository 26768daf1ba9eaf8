import type { Call } from '../../../contract/call.ts'
import type { PauseScope } from '../../../contract/pause.ts'
import type { Tool } from '../../../contract/tool.ts'
import type { Facts } from '../../../core/gate/facts.ts'
import { pauseScopesOf } from '../../../core/gate/judge-pause.ts'
import { credentialState } from '../../identity/credentials.ts'
import type { Change, Committed } from '../../ports/ledger.ts'
import type { Held, Tables } from '../../ports/reads.ts'
import type { MaybePromise } from '../../ports/runtime.ts'
import { knownOrReadRow, withResults, withResult } from '../../maybe-promise.ts'
import { lostAt } from '../../changes/unrecorded.ts'

/** What others can change while a call is judged, and the versions that were read. */
export type ChangeableFacts = Pick<Facts, 'pauses' | 'credential'> & SeenVersions

/**
 * For the commit that acts on a judgement: it is lost if one of these rows has changed by then, and it is not made after the
 * caller's credential has expired.
 */
export type SeenVersions = { readonly expects: readonly Change[]; readonly valid_until: number }

type ChangeableFactsDeps = { readonly tables: Tables }

/**
 * Reads the pauses that apply to a call and the credential it was made with. `asked_earlier`: the request was made some time ago
 * and has waited, for a person or in a run. An issuer's token lives for minutes and only says who asked, so its end is no reason
 * to drop the request; one of our keys that has expired or was revoked still is.
 */
export function readChangeableFacts(
  deps: ChangeableFactsDeps,
  call: Call,
  tool: Tool,
  now: number,
  asked_earlier: boolean,
): MaybePromise<ChangeableFacts> {
  return withResults(
    [readPauses(deps, call), readCredential(deps, call, now, asked_earlier)],
    ([paused, known]): ChangeableFacts => ({
      pauses: paused.pauses,
      credential: known.credential,
      expects: [...paused.expects, ...expectTool(tool), ...known.expects],
      valid_until: known.valid_until,
    }),
  )
}

/** Something that is judged like a tool but has no row cannot change. */
export function expectTool({ row, version }: Tool): readonly Change[] {
  return version === undefined ? [] : [expectRow('tools', row.tool_id, version)]
}

const expectRow = (table: 'pauses' | 'tools' | 'credentials', id: string, version: number | 'absent'): Change => ({
  kind: 'expect',
  table,
  id,
  version,
})

/** Read by name: however many callers are in quarantine, none is missed because of paging. */
export function readPauses(
  { tables }: ChangeableFactsDeps,
  call: Pick<Call, 'caller' | 'tool_id' | 'server'>,
  counts: (scope: PauseScope) => boolean = () => true,
): MaybePromise<Pauses> {
  const scopes = pauseScopesOf(call).filter(counts)
  const unknown = (): Pauses => ({ pauses: 'unknown', expects: [] })
  try {
    const read = withResults(
      scopes.map((scope) => knownOrReadRow(tables, 'pauses', scope)),
      (held): Pauses => ({
        pauses: held.flatMap((pause) => (pause?.row.active === true ? [pause.row] : [])),
        expects: scopes.map((scope, at) => expectRow('pauses', scope, held[at]?.version ?? 'absent')),
      }),
    )
    return read instanceof Promise ? read.catch(unknown) : read
  } catch {
    return unknown()
  }
}

type Pauses = Pick<ChangeableFacts, 'pauses' | 'expects'>

type Known = Pick<ChangeableFacts, 'credential' | 'expects' | 'valid_until'>

function readCredential(
  { tables }: ChangeableFactsDeps,
  { caller: { credential } }: Call,
  now: number,
  asked_earlier: boolean,
): MaybePromise<Known> {
  if (credential === undefined) return { credential: 'none', expects: [], valid_until: Infinity }
  const { key, expires_at = Infinity } = credential
  if (key === undefined) {
    const valid_until = asked_earlier ? Infinity : expires_at
    return { credential: valid_until > now ? 'good' : 'expired', expects: [], valid_until }
  }
  const unknown = (): Known => ({ credential: 'unknown', expects: [], valid_until: Infinity })
  try {
    const read = withResult(knownOrReadRow(tables, 'credentials', key), (held) => ofKey(held, key, now))
    return read instanceof Promise ? read.catch(unknown) : read
  } catch {
    return unknown()
  }
}

function ofKey(held: Held<'credentials'> | undefined, key: string, now: number): Known {
  if (held === undefined) return { credential: 'revoked', expects: [], valid_until: Infinity }
  const expects = [expectRow('credentials', key, held.version)]
  return { credential: credentialState(held.row, now), expects, valid_until: held.row.expires_at ?? Infinity }
}

/** Whether a commit was lost because somebody paused, changed a definition or revoked a key: judge again. */
export function isLostToOthers(changes: readonly Change[], committed: Committed): boolean {
  const lost = changes[lostAt(committed) ?? -1]
  return lost?.kind === 'expect' && (lost.table === 'pauses' || lost.table === 'tools' || lost.table === 'credentials')
}
