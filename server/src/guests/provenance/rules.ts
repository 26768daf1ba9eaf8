import type { Json } from '../../kernel/contract/json.ts'
import { onlyReads, type ToolDefinition, type ToolEffect } from '../../kernel/contract/tool.ts'
import { contestsOf } from './contests.ts'
import { licenceOf, type LicenceFound } from './licences.ts'
import { profileOf, type Profile } from './profile.ts'
import { addressesIn } from './roles.ts'
import { ASKS, type UserAsk, type Session } from './session.ts'
import { argumentLeaves, type Leaf } from './leaves.ts'
import { createPlaces, type AsksWith, type Places } from './places.ts'
import { readWords } from './text.ts'
import { addressValue, valuesAt, valueSteps, type ArgumentValue } from './values.ts'

export type Mode = 'strict' | 'balanced' | 'off'

export type ProvenanceRule =
  | 'provenance.unlicensed'
  | 'provenance.contested'
  | 'provenance.destination'
  | 'provenance.entity'
  | 'provenance.content'
  | 'provenance.fetch'

/** One reason to ask, with the places it is about. */
export type Reason = {
  readonly rule: ProvenanceRule
  readonly value_at?: string
  /** The leaf that contains the value, or the text that asks. */
  readonly leaf?: number
  /** No known text asks for it, but the session has read more than is remembered. */
  readonly unsure?: true
}

export type ProvenanceJudgement = {
  readonly reasons: readonly Reason[]
  readonly licence: LicenceFound
  readonly contests: readonly UserAsk[]
  readonly values: readonly ArgumentValue[]
  /** The tool was already called since the user asked for it. Looked up only if somebody else asks for it too. */
  readonly repeated: boolean
}

export type ProvenanceCall = {
  /** The name under which earlier calls of it are remembered. */
  readonly tool: string
  readonly definition: ToolDefinition
  readonly effects: readonly ToolEffect[]
  readonly args: Json
  readonly mode: Mode
  /** Arguments that a pack declares as destinations. JSON pointers. */
  readonly recipients?: readonly string[]
}

/** Cached, because every call needs the profile of its tool. */
const PROFILES = new WeakMap<ToolDefinition, Profile>()
function profile(definition: ToolDefinition): Profile {
  const known = PROFILES.get(definition) ?? profileOf(definition)
  PROFILES.set(definition, known)
  return known
}

const NO_ASKS: readonly UserAsk[] = []
const CLEAN: ReadonlySet<ArgumentValue['from']> = new Set(['user', 'constant', 'approved'])
const isClean = ({ from }: ArgumentValue): boolean => CLEAN.has(from)

/**
 * Judges one call by whose words it acts on. The event loop may run between two steps.
 * INVARIANT: more foreign prose never removes a reason (law in rules.test.ts).
 * INVARIANT: a value from prose and a value of unknown origin are treated alike, so writing a value another way never clears it.
 */
export function* judgementSteps(
  session: Session,
  { tool: tool_id, definition, effects, args, mode, recipients }: ProvenanceCall,
): Generator<void, ProvenanceJudgement> {
  const leaves = argumentLeaves(args)
  const isSmall = isFew(leaves)
  const values = isSmall
    ? valuesAt(session, definition, leaves, recipients)
    : yield* valueSteps(session, definition, leaves, recipients)
  const tool = profile(definition)
  const typedTarget = values.some(
    ({ from, role, length }) => from === 'user' && (role === 'destination' || role === 'entity') && length > 0,
  )
  const equal = session.approvedTool(tool_id) && values.every((value) => isClean(value) || value.role === 'content')
  const licence: LicenceFound = equal ? { licence: 'strong' } : licenceOf(tool, session.user, typedTarget)
  const contests = session.asks.length === 0 ? NO_ASKS : contestsOf(session, tool, asksOfUnclean(values))
  const mayBeContested = contests.length > 0 || session.overflow
  const repeated = mayBeContested && !equal && session.wasDone({ tool: tool_id, args }, licence.utterance)
  const found = { licence, contests, values, repeated }
  if (mode === 'off') return { ...found, reasons: [] }
  if (onlyReads({ effects })) return { ...found, reasons: fetchReasons(session, values) }
  if (!isSmall) yield
  if (!session.prose && !session.overflow) return { ...found, reasons: destinationReasons(values, mode === 'strict') }
  const reasons = yield* actReasons(session, { ...found, effects, strict: mode === 'strict' })
  return { ...found, reasons }
}

const FEW_LEAVES = 20
const FEW_CHARS = 4_096

/** Whether arguments are judged fast enough without a pause. */
function isFew(leaves: readonly Leaf[]): boolean {
  if (leaves.length > FEW_LEAVES) return false
  let chars = 0
  for (const { text } of leaves) chars += text.length
  return chars <= FEW_CHARS
}

/** The same without pauses. */
export function judgeProvenance(session: Session, judged: ProvenanceCall): ProvenanceJudgement {
  const steps = judgementSteps(session, judged)
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

/** The texts that ask and contain any of the values that are not the user's. */
function asksOfUnclean(values: readonly ArgumentValue[]): AsksWith {
  const all = new Set<UserAsk>()
  for (const value of values) {
    if (isClean(value)) continue
    if (value.asks === 'any') return 'any'
    for (const ask of value.asks) all.add(ask)
  }
  return all
}

/** Whether one of these texts contains a value. */
const isInAny = ({ asks }: ArgumentValue, contests: ReadonlySet<UserAsk>): boolean =>
  asks === 'any' ? contests.size > 0 : asks.size > 0 && [...asks].some((ask) => contests.has(ask))

type Act = Omit<ProvenanceJudgement, 'reasons'> & { readonly effects: readonly ToolEffect[]; readonly strict: boolean }

function* actReasons(session: Session, act: Act): Generator<void, Reason[]> {
  const { licence, values, effects, strict } = act
  const reasons: Reason[] = []
  const asked = session.asks.length > 0 || session.overflow
  const [first] = session.asks
  if (session.user.known && isUnlicensed(licence, asked, strict))
    reasons.push({ rule: 'provenance.unlicensed', ...(first === undefined ? {} : { leaf: first.leaf }) })
  if (act.contests.length > 0 || session.overflow) reasons.push(...contestReasons(session, act))
  reasons.push(...destinationReasons(values, true))
  if (asked && session.user.known && licence.licence !== 'strong')
    for (const value of values) if (!isClean(value)) reasons.push(reasonAt('provenance.entity', value))
  if (effects.includes('external') || effects.length === 0) reasons.push(...(yield* contentReasons(session, values)))
  return reasons
}

function isUnlicensed({ licence }: LicenceFound, asked: boolean, strict: boolean): boolean {
  if (strict) return licence !== 'strong'
  return asked ? licence !== 'strong' : licence === 'none'
}

/** Somebody else asks for this action too, so only what is certainly the user's passes. */
function contestReasons(session: Session, { contests, licence, values, effects, repeated }: Act): Reason[] {
  const reasons: Reason[] = []
  const [first] = contests
  const leaf = first === undefined ? {} : { leaf: first.leaf }
  const unsure = first === undefined ? UNSURE : {}
  if (session.user.known && (licence.licence !== 'strong' || repeated))
    // What the user asked for has been done: doing it again would follow the other text's request.
    reasons.push({ rule: 'provenance.contested', ...leaf, ...unsure })
  const texts = new Set(contests)
  // Anything read after the first of them may have been read because of it.
  const since = Math.min(...contests.map(({ origin }) => origin))
  const destructive = effects.includes('destructive')
  for (const value of values) {
    if (isClean(value) && !(value.from === 'constant' && isInAny(value, texts))) continue
    const names = value.role === 'entity' || value.role === 'destination'
    if (value.from === 'data' && !destructive && !names && isElsewhere(session, value, texts, since)) continue
    reasons.push({
      rule: 'provenance.contested',
      value_at: value.path,
      ...(value.leaf === undefined ? leaf : { leaf: value.leaf }),
      ...unsure,
    })
  }
  return reasons
}
const UNSURE = { unsure: true } as const

/** It was there before any text asked, and no text that asks contains it. */
function isElsewhere(session: Session, value: ArgumentValue, contests: ReadonlySet<UserAsk>, since: number): boolean {
  if (value.leaf === undefined || session.leaves.origin(value.leaf) >= since) return false
  return !isInAny(value, contests)
}

/** Default deny: a destination must come from the user, or be the only content of a field that vouches for it. */
function destinationReasons(values: readonly ArgumentValue[], prose: boolean): Reason[] {
  return values
    .filter((value) => value.role === 'destination' && value.from === 'none' && (prose || value.leaf !== undefined))
    .map((value) => reasonAt('provenance.destination', value))
}

/** How many addresses, or runs of words, of a content are looked up per step. */
const STEP_LOOKS = 200

/** An address that occurs only in prose, or a long run of words copied from a text that asks. */
function* contentReasons(session: Session, values: readonly ArgumentValue[]): Generator<void, Reason[]> {
  const reasons: Reason[] = []
  let places: Places | undefined
  for (const value of values) {
    if (value.role !== 'content' || isClean(value)) continue
    let looked = 0
    for (const address of addressesIn(value.text)) {
      looked += 1
      if (looked % STEP_LOOKS === 0) yield
      const found = addressValue(session, (places ??= createPlaces(session)), address)
      if (isClean(found) || found.from === 'data' || found.length === 0) continue
      reasons.push({
        rule: 'provenance.content',
        value_at: value.path,
        ...(found.leaf === undefined ? {} : { leaf: found.leaf }),
      })
      // One is enough.
      break
    }
    const leaf = session.asks.length === 0 ? undefined : yield* copiedFrom(session, value)
    if (leaf !== undefined) reasons.push({ rule: 'provenance.content', value_at: value.path, leaf })
  }
  return reasons
}

const LONG_RUN = 6

/** The text that asks from which six words in a row were copied. */
function* copiedFrom(session: Session, { text }: ArgumentValue): Generator<void, number | undefined> {
  const words = readWords(text)
  let looks = 0
  for (let from = 0; from + LONG_RUN <= words.length; from += LONG_RUN / 2) {
    looks += 1
    if (looks % STEP_LOOKS === 0) yield
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

/** For a read that fetches an address: asks if the address came from a text that asks. */
function fetchReasons(session: Session, values: readonly ArgumentValue[]): Reason[] {
  if (session.asks.length === 0 && !session.overflow) return []
  return values
    .filter((value) => value.role === 'destination' && value.from === 'none')
    .map((value) => ({ ...reasonAt('provenance.fetch', value), ...(session.asks.length === 0 ? UNSURE : {}) }))
}

const reasonAt = (rule: ProvenanceRule, { path, leaf }: ArgumentValue): Reason => ({
  rule,
  value_at: path,
  ...(leaf === undefined ? {} : { leaf }),
})
