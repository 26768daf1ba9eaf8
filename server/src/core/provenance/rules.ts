import type { Json } from '../../contract/json.ts'
import type { ToolDefinition, ToolEffect } from '../../contract/tool.ts'
import { contestsOf } from './contests.ts'
import { licenceOf, type LicenceFound } from './licences.ts'
import { profileOf, type Profile } from './profile.ts'
import { addressesIn } from './roles.ts'
import { ASKS, type Ask, type Session } from './session.ts'
import { readWords } from './text.ts'
import { standsIn, valuesOf, type Value } from './values.ts'

export type Mode = 'strict' | 'balanced' | 'off'

export type Rule =
  | 'provenance.unlicensed'
  | 'provenance.contested'
  | 'provenance.destination'
  | 'provenance.entity'
  | 'provenance.content'
  | 'provenance.fetch'

/** One reason to ask, with the places it is about. */
export type Reason = {
  readonly rule: Rule
  readonly value_at?: string
  /** The leaf the value stands in, or the text that asks. */
  readonly leaf?: number
}

export type Judgement = {
  readonly reasons: readonly Reason[]
  readonly licence: LicenceFound
  readonly contests: readonly Ask[]
  readonly values: readonly Value[]
  /** The tool was called since the user asked for it. */
  readonly repeated: boolean
}

export type Judged = {
  /** The name under which earlier calls of it are remembered. */
  readonly tool: string
  readonly definition: ToolDefinition
  readonly effects: readonly ToolEffect[]
  readonly args: Json
  readonly mode: Mode
}

/** Profiles are asked for at every call and made once. */
const PROFILES = new WeakMap<ToolDefinition, Profile>()
function profile(definition: ToolDefinition): Profile {
  const known = PROFILES.get(definition) ?? profileOf(definition)
  PROFILES.set(definition, known)
  return known
}

const CLEAN: ReadonlySet<Value['from']> = new Set(['user', 'constant', 'approved'])
const isClean = ({ from }: Value): boolean => CLEAN.has(from)

/**
 * Judge one call by whose words it acts on.
 * INVARIANT: more foreign prose never takes a reason away (law in rules.test.ts).
 * INVARIANT: a value from prose and a value from nowhere are treated alike, so writing a value another way never clears it.
 */
export function judgeProvenance(
  session: Session,
  { tool: tool_id, definition, effects, args, mode }: Judged,
): Judgement {
  const values = valuesOf(session, definition, args)
  const tool = profile(definition)
  const typedTarget = values.some(
    ({ from, role, words }) => from === 'user' && (role === 'destination' || role === 'entity') && words.length > 0,
  )
  const equal = session.approvedTool(tool_id) && values.every((value) => isClean(value) || value.role === 'content')
  const licence: LicenceFound = equal ? { licence: 'strong' } : licenceOf(tool, session.user, typedTarget)
  const contests = contestsOf(session, tool, (ask) =>
    values.some((value) => !isClean(value) && standsIn(session, value, ask)),
  )
  const repeated = !equal && session.wasDone({ tool: tool_id, args }, licence.utterance)
  const found = { licence, contests, values, repeated }
  if (mode === 'off') return { ...found, reasons: [] }
  const onlyReads = effects.length > 0 && effects.every((effect) => effect === 'read')
  if (onlyReads) return { ...found, reasons: fetchReasons(session, values) }
  return { ...found, reasons: actReasons(session, { ...found, effects, strict: mode === 'strict' }) }
}

type Act = Omit<Judgement, 'reasons'> & { readonly effects: readonly ToolEffect[]; readonly strict: boolean }

function actReasons(session: Session, act: Act): Reason[] {
  const { licence, values, effects, strict } = act
  if (!session.prose && !session.overflow) return destinationReasons(values, strict)
  const reasons: Reason[] = []
  const asked = session.asks.length > 0 || session.overflow
  const [first] = session.asks
  if (session.user.known && isUnlicensed(licence, asked, strict))
    reasons.push({ rule: 'provenance.unlicensed', ...(first === undefined ? {} : { leaf: first.leaf }) })
  if (act.contests.length > 0 || session.overflow) reasons.push(...contestReasons(session, act))
  reasons.push(...destinationReasons(values, true))
  if (asked && session.user.known && licence.licence !== 'strong')
    for (const value of values) if (!isClean(value)) reasons.push(reasonAt('provenance.entity', value))
  if (effects.includes('external') || effects.length === 0) reasons.push(...contentReasons(session, values))
  return reasons
}

function isUnlicensed({ licence }: LicenceFound, asked: boolean, strict: boolean): boolean {
  if (strict) return licence !== 'strong'
  return asked ? licence !== 'strong' : licence === 'none'
}

/** Somebody else asks for this act too: only what is surely the user's goes through. */
function contestReasons(session: Session, { contests, licence, values, effects, repeated }: Act): Reason[] {
  const reasons: Reason[] = []
  const [first] = contests
  const leaf = first === undefined ? {} : { leaf: first.leaf }
  if (session.user.known && (licence.licence !== 'strong' || repeated))
    // What the user asked for has been done: the second time it is the other text's request.
    reasons.push({ rule: 'provenance.contested', ...leaf })
  const contesting = new Set(contests.map(({ origin }) => origin))
  const destructive = effects.includes('destructive')
  for (const value of values) {
    if (isClean(value) && !(value.from === 'constant' && contests.some((ask) => standsIn(session, value, ask))))
      continue
    const names = value.role === 'entity' || value.role === 'destination'
    if (value.from === 'data' && !destructive && !names && isElsewhere(session, value, contests, contesting)) continue
    reasons.push({
      rule: 'provenance.contested',
      value_at: value.path,
      ...(value.leaf === undefined ? leaf : { leaf: value.leaf }),
    })
  }
  return reasons
}

/** It was there before anybody asked, and no text that asks names it. */
function isElsewhere(
  session: Session,
  value: Value,
  contests: readonly Ask[],
  contesting: ReadonlySet<number>,
): boolean {
  if (value.leaf === undefined) return false
  const origin = session.leaves.origin(value.leaf)
  // What was read after the request may have been read for it.
  for (const other of contesting) if (origin >= other) return false
  return !contests.some((ask) => standsIn(session, value, ask))
}

/** Default deny: where something goes must be the user's word, or stand alone in a field that vouches for it. */
function destinationReasons(values: readonly Value[], prose: boolean): Reason[] {
  return values
    .filter((value) => value.role === 'destination' && value.from === 'none' && (prose || value.leaf !== undefined))
    .map((value) => reasonAt('provenance.destination', value))
}

/** An address that nobody but a prose text knows, or a long run of a text that asks. */
function contentReasons(session: Session, values: readonly Value[]): Reason[] {
  const reasons: Reason[] = []
  for (const value of values) {
    if (value.role !== 'content' || isClean(value)) continue
    for (const address of addressesIn(value.text)) {
      const words = readWords(address)
      const [found] = valuesOf(session, ADDRESS_ONLY, { address })
      if (found === undefined || isClean(found) || found.from === 'data' || words.length === 0) continue
      reasons.push({
        rule: 'provenance.content',
        value_at: value.path,
        ...(found.leaf === undefined ? {} : { leaf: found.leaf }),
      })
    }
    const leaf = copiedFrom(session, value)
    if (leaf !== undefined) reasons.push({ rule: 'provenance.content', value_at: value.path, leaf })
  }
  return reasons
}

const ADDRESS_ONLY: ToolDefinition = { name: '', inputSchema: {} }
const LONG_RUN = 6

/** The text that asks out of which six words in a row were copied. */
function copiedFrom(session: Session, { words }: Value): number | undefined {
  if (session.asks.length === 0) return undefined
  for (let from = 0; from + LONG_RUN <= words.length; from += LONG_RUN / 2) {
    let found: number | undefined
    const run = { ...words, full: words.full.subarray(from, from + LONG_RUN), length: LONG_RUN }
    if (session.user.holds(run)) continue
    session.index.find(run, (place) => {
      const leaf = session.leaves.at(place)
      if ((session.leaves.flags(leaf) & ASKS) === 0) return false
      found = leaf
      return true
    })
    if (found !== undefined) return found
  }
  return undefined
}

/** A read that fetches an address: one that a text which asks brought up is asked about. */
function fetchReasons(session: Session, values: readonly Value[]): Reason[] {
  if (session.asks.length === 0 && !session.overflow) return []
  return values
    .filter((value) => value.role === 'destination' && value.from === 'none')
    .map((value) => reasonAt('provenance.fetch', value))
}

const reasonAt = (rule: Rule, { path, leaf }: Value): Reason => ({
  rule,
  value_at: path,
  ...(leaf === undefined ? {} : { leaf }),
})
