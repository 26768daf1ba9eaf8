import type { Call } from '../../contract/call.ts'
import type { PauseRow, PauseScope } from '../../contract/pause.ts'
import type { Tool } from '../../contract/tool.ts'
import type { Facts } from '../../decide/facts.ts'
import { pauseScopesOf } from '../../decide/judge-pause.ts'
import { credentialState } from '../../identity/credential-state.ts'
import { successorOf } from '../../identity/successor.ts'
import type { Change } from '../../ports/ledger.ts'
import type { Stored, Tables } from '../../ports/reads.ts'
import type { MaybePromise } from '../../ports/runtime.ts'
import { knownOrReadRow } from '../../ports/maybe-promise.ts'

/** What others can change while a call is judged, and the versions that were read. */
export type ChangeableFacts = Pick<Facts, 'pauses' | 'credential'> & SeenVersions

/**
 * For the commit that acts on a judgement: it is lost if one of these rows has changed by then, and it is not made after the
 * caller's credential has expired.
 */
export type SeenVersions = { readonly expects: readonly Change[]; readonly valid_until: number }

type ChangeableFactsDeps = { readonly tables: Tables }

/**
 * Reads the pauses that apply to a call and the credential it was made with. `asked_earlier`: the request was made some time ago and has
 * waited, for a person or in a run. An issuer's token is valid for minutes and only says who asked, so its expiry is no reason to drop the
 * request; a key of ours that has expired or was revoked is, unless another one had replaced it before.
 */
export function readChangeableFacts(
  deps: ChangeableFactsDeps,
  call: Call,
  tool: Tool,
  now: number,
  asked_earlier: boolean,
): MaybePromise<ChangeableFacts> {
  const paused = readPauses(deps, call)
  const known = readCredential(deps, call, now, asked_earlier)
  if (paused instanceof Promise || known instanceof Promise)
    return Promise.all([paused, known]).then((read) => standingOf(tool, read[0], read[1]))
  return standingOf(tool, paused, known)
}

const standingOf = (tool: Tool, paused: Pauses, known: Known): ChangeableFacts => ({
  pauses: paused.pauses,
  credential: known.credential,
  expects: expectsOf(tool, paused, known.key),
  valid_until: known.valid_until,
})

type Expected = {
  readonly tool: Tool
  readonly key: Stored<'credentials'> | undefined
  readonly expects: readonly Change[]
}

/** The last list for the same pauses. It is used again as long as the tool and the key are the same, too. */
const lastExpected = new WeakMap<Pauses, Expected>()

function expectsOf(tool: Tool, paused: Pauses, key: Stored<'credentials'> | undefined): readonly Change[] {
  const last = lastExpected.get(paused)
  if (last?.tool === tool && last.key === key) return last.expects
  const ofKey = key === undefined ? [] : [expectRow('credentials', key.row.key_id, key.version)]
  const expects = [...paused.expects, ...expectTool(tool), ...ofKey]
  lastExpected.set(paused, { tool, key, expects })
  return expects
}

/** A pseudo-tool without a row cannot change. */
export function expectTool({ row, version }: Tool): readonly Change[] {
  return version === undefined ? [] : [expectRow('tools', row.tool_id, version)]
}

const expectRow = (table: 'pauses' | 'tools' | 'credentials', id: string, version: number | 'absent'): Change => ({
  kind: 'expect',
  table,
  id,
  version,
})

/** Read by name, so that none is missed because of paging, however many callers are in quarantine. */
export function readPauses(
  { tables }: ChangeableFactsDeps,
  call: Pick<Call, 'caller' | 'tool_id' | 'server'>,
  counts?: (scope: PauseScope) => boolean,
): MaybePromise<Pauses> {
  try {
    const last = counts === undefined ? lastPauses.get(call.caller) : undefined
    if (last?.tool_id === call.tool_id && last.server === call.server && isUnchanged(tables, last)) return last.pauses
    const all = pauseScopesOf(call)
    const scopes = counts === undefined ? all : all.filter(counts)
    const held: (Stored<'pauses'> | undefined)[] = []
    for (const scope of scopes) {
      const known = tables.known_rows?.row('pauses', scope)
      if (known === undefined) return storedPauses(tables, scopes)
      held.push(known.held)
    }
    const pauses = pausesOf(scopes, held)
    const { tool_id, server } = call
    if (counts === undefined) lastPauses.set(call.caller, { tool_id, server, scopes, held, pauses })
    return pauses
  } catch {
    return UNKNOWN_PAUSES
  }
}

type LastPauses = Pick<Call, 'tool_id' | 'server'> & {
  readonly scopes: readonly PauseScope[]
  readonly held: readonly (Stored<'pauses'> | undefined)[]
  readonly pauses: Pauses
}

/**
 * What was read for a caller's last call. A caller is one object for all requests on a connection, and its id and user never change.
 * INVARIANT: used again only if each row is known without a read, and is the same object as then.
 */
const lastPauses = new WeakMap<Call['caller'], LastPauses>()

function isUnchanged({ known_rows }: Tables, { scopes, held }: LastPauses): boolean {
  for (let at = 0; at < scopes.length; at += 1) {
    const known = known_rows?.row('pauses', scopes[at] ?? '')
    if (known === undefined || known.held !== held[at]) return false
  }
  return true
}

const UNKNOWN_PAUSES: Pauses = { pauses: 'unknown', expects: [] }
const NO_PAUSES: readonly PauseRow[] = []

async function storedPauses(tables: Tables, scopes: readonly PauseScope[]): Promise<Pauses> {
  try {
    return pausesOf(scopes, await Promise.all(scopes.map(async (scope) => knownOrReadRow(tables, 'pauses', scope))))
  } catch {
    return UNKNOWN_PAUSES
  }
}

function pausesOf(scopes: readonly PauseScope[], held: readonly (Stored<'pauses'> | undefined)[]): Pauses {
  const active = held.some((pause) => pause?.row.active === true)
  return {
    pauses: active ? held.flatMap((pause) => (pause?.row.active === true ? [pause.row] : [])) : NO_PAUSES,
    expects: scopes.map((scope, at) => expectRow('pauses', scope, held[at]?.version ?? 'absent')),
  }
}

type Pauses = Pick<ChangeableFacts, 'pauses' | 'expects'>

/** `key`: the stored key that the call was made with. */
type Known = Pick<ChangeableFacts, 'credential' | 'valid_until'> & { readonly key?: Stored<'credentials'> }

function readCredential(
  { tables }: ChangeableFactsDeps,
  { caller: { credential } }: Call,
  now: number,
  asked_earlier: boolean,
): MaybePromise<Known> {
  if (credential === undefined) return { credential: 'none', valid_until: Infinity }
  const { key, expires_at = Infinity } = credential
  if (key === undefined) {
    const valid_until = asked_earlier ? Infinity : expires_at
    return { credential: valid_until > now ? 'active' : 'expired', valid_until }
  }
  try {
    const held = knownOrReadRow(tables, 'credentials', key)
    const known = held instanceof Promise ? held.then((read) => ofKey(read, now)) : ofKey(held, now)
    if (!asked_earlier) return known instanceof Promise ? known.catch(() => UNKNOWN_KEY) : known
    if (!(known instanceof Promise) && known.credential === 'active') return known
    return orSuccessor(tables, known, now).catch(() => UNKNOWN_KEY)
  } catch {
    return UNKNOWN_KEY
  }
}

/** The commit expects the key that is relied on: the one that the call was made with, or the one that replaced it. */
async function orSuccessor(tables: Tables, found: MaybePromise<Known>, now: number): Promise<Known> {
  const known = await found
  if (known.credential === 'active' || known.key === undefined) return known
  const successor = await successorOf({ tables, clock: () => now }, known.key.row)
  return successor === undefined ? known : ofKey(successor, now)
}

const UNKNOWN_KEY: Known = { credential: 'unknown', valid_until: Infinity }

function ofKey(held: Stored<'credentials'> | undefined, now: number): Known {
  if (held === undefined) return { credential: 'revoked', valid_until: Infinity }
  return { credential: credentialState(held.row, now), key: held, valid_until: held.row.expires_at ?? Infinity }
}
