import type { Caller } from '../contract/caller.ts'
import type { Call } from '../contract/call.ts'
import type { ConsentRow } from '../contract/consent.ts'
import type { KeyId } from '../contract/ids.ts'
import type { Json } from '../contract/json.ts'
import { inForce, type Tool } from '../contract/tool.ts'
import { namePlaces, shownPointer } from '../text/shown-pointer.ts'
import { argsOf } from '../attempt/call-args.ts'
import { matchesGlob, parseGlob } from '../policy/glob.ts'
import type { PolicyFacts } from '../policy/policy.ts'
import type { UnitsLeft } from './consent-view.ts'
import { fieldsAgainst, permitsArgs } from './permits-args.ts'

/** One of our keys as it was read. */
export type SeenKey = { readonly key_id: KeyId; readonly version: number | 'absent' }

/** A consent as a decision sees it: the row, the version it must still have when it is spent, and what is left. */
export type ConsentFact = {
  readonly row: ConsentRow
  readonly version: number
  readonly left: UnitsLeft
  /** The key it was given with, which must still have this version, too. */
  readonly key?: SeenKey
  /** What this call spends of a consent that limits cost. */
  readonly cost: number
  /** This call has already spent it: retrying the call spends no second unit. */
  readonly spent?: boolean
}

/** The current facts that matching a consent needs. */
export type ConsentMoment = Pick<PolicyFacts, 'now' | 'tool' | 'lane'>

/**
 * Whether this consent covers this call now. Pure and total.
 * INVARIANT: an expired, exhausted or revoked consent, or one about anything else, does not match; anything unknown does not
 * match.
 */
export function matchConsent(consent: ConsentFact, call: Call, moment: ConsentMoment): boolean {
  return isAbout(consent.row, call, moment) && hasLeft(consent)
}

/** Everything but the units: what can be checked before its account is read. */
export function isAbout(row: ConsentRow, call: Call, { now, tool, lane }: ConsentMoment): boolean {
  const { what } = row
  if (row.revoked_at !== undefined || now >= row.expires_at || now < row.minted_at) return false
  if (!isActor(row, call.caller)) return false
  if (call.tool_id !== tool.row.tool_id || !isLike(what.tool, call.tool_id)) return false
  if (what.definition_hash !== undefined && what.definition_hash !== call.definition_hash) return false
  if (row.lanes !== undefined && !isLane(row.lanes, lane)) return false
  const args = readArgs(call)
  return args !== undefined && permitsArgs(what.args, args)
}

/** Whether it was given to this caller for this tool, whatever its other terms. */
export const isFor = (row: ConsentRow, call: Call): boolean =>
  isActor(row, call.caller) && isLike(row.what.tool, call.tool_id)

/** Why a consent for this caller and tool does not cover this call; undefined if it does. Names fields, never their values. */
export function whyNot(consent: ConsentFact, call: Call, moment: ConsentMoment): string | undefined {
  const { row } = consent
  if (row.revoked_at !== undefined) return 'it was revoked'
  if (moment.now >= row.expires_at) return 'it has expired'
  if (moment.now < row.minted_at) return 'it is not valid yet'
  if (row.what.definition_hash !== undefined && row.what.definition_hash !== call.definition_hash)
    return 'the definition of the tool has changed'
  if (row.lanes !== undefined && !isLane(row.lanes, moment.lane)) return 'it is for other model lanes'
  const args = readArgs(call)
  const fields = args === undefined ? [''] : fieldsAgainst(row.what.args, args)
  if (fields.includes('')) return 'it does not permit these arguments'
  if (fields.length > 0) return `it does not permit what is in ${placesIn(fields, moment.tool)}`
  return hasLeft(consent) ? undefined : 'it is used up'
}

/** INVARIANT: does not match exactly when `spend` of the ledger would be lost. */
function hasLeft({ row, left, cost, spent }: ConsentFact): boolean {
  if (spent === true) return true
  return left.calls >= 1 && (row.cost === undefined || (left.cost !== undefined && left.cost >= cost))
}

function isActor({ actor, user }: ConsentRow, caller: Caller): boolean {
  if (user !== undefined && user !== caller.user) return false
  return actor.startsWith('user:') ? actor === `user:${caller.user}` : isLike(actor, `caller:${caller.id}`)
}

/** A call without a lane, or with an unknown one, matches no lane. */
function isLane(globs: readonly string[], lane: string | null | undefined): boolean {
  return typeof lane === 'string' && globs.some((glob) => isLike(glob, lane))
}

function placesIn(pointers: readonly string[], { row }: Tool): string {
  const schema = inForce(row).definition.inputSchema
  const keys = (pointer: string) =>
    pointer
      .split('/')
      .slice(1)
      .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
  return namePlaces(pointers.map((pointer) => shownPointer(keys(pointer), schema)))
}

const isLike = (pattern: string, name: string) => matchesGlob(parseGlob(pattern), name)

/** The gate wrote this text; if it is not JSON after all, nothing is permitted. */
function readArgs(call: Call): Json | undefined {
  try {
    return argsOf(call)
  } catch {
    return undefined
  }
}
