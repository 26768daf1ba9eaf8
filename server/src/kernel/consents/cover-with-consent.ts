import { isSameName } from '../contract/folded-name.ts'
import type { Call } from '../contract/call.ts'
import { ConsentId } from '../contract/ids.ts'
import type { Opinion, Verdict } from '../contract/verdict.ts'
import type { CoverableAsk, Decider } from '../decide/decider.ts'
import type { Facts } from '../decide/facts.ts'
import { isFor, matchConsent, whyNot, type ConsentFact } from './match-consent.ts'
import { statesValue } from './states-value.ts'

const DECIDER = 'consent'
const NOTE = 'consent.not_covering'

/**
 * The last step of a decision: a matching consent turns an ask into allow, and says so in the evidence.
 * INVARIANT: only asks of the policy that need neither two people nor a passphrase are changed, and other asks that their decider declares
 * as coverable, if the consent states the value of every place that they are about.
 */
export function coverWithConsent(verdict: Verdict, call: Call, facts: Facts, deciders: readonly Decider[]): Verdict {
  if (!isCoverable(verdict, deciders)) return withNotes(verdict, call, facts, deciders)
  const about = coverableAsks(verdict, deciders)
  const covers = (consent: ConsentFact) =>
    matchConsent(consent, call, facts) &&
    isFromAsked(consent, call, facts) &&
    about.every((ask) => statesPlaces(consent, ask, facts))
  const { run_consent: run } = facts
  // A run's consent names no arguments, so it never covers what is asked about them. Its minter is the requester, whom no route asks.
  if (run !== undefined && about.length === 0 && facts.route?.members === undefined)
    return { effect: 'allow', evidence: [...verdict.evidence, allowedBy(run.consent_id, run.says, facts.now)] }
  const matching = (facts.consents ?? []).filter(covers)
  const [consent] = matching.toSorted(byExpiry)
  if (consent === undefined) return withNotes(verdict, call, facts, deciders)
  const { row } = consent
  const says = `covered by a consent for ${row.actor}${row.user === undefined ? '' : ` of ${row.user}`}, granted by ${row.minted_by}; ${taking(consent)}`
  return { effect: 'allow', evidence: [...verdict.evidence, allowedBy(row.consent_id, says, facts.now)] }
}

/**
 * INVARIANT: if a route asks a group, only a consent by a member of that group other than the requester counts. A substitute
 * cannot give one, because a consent lasts longer than a delegation.
 */
function isFromAsked({ row }: ConsentFact, { caller }: Call, { route }: Pick<Facts, 'route'>): boolean {
  if (route?.members === undefined) return true
  return (
    row.minted_user !== undefined && !isSameName(row.minted_user, caller.user) && route.members.has(row.minted_user)
  )
}

/** Whether a consent could ever cover this ask. */
export function isCoverable(
  { effect, evidence, observed, route }: Pick<Verdict, 'effect' | 'evidence' | 'observed' | 'route'>,
  deciders: readonly Decider[],
): boolean {
  if (effect !== 'ask' || observed !== undefined || (route?.people ?? 1) > 1) return false
  const objections = evidence.filter((opinion) => opinion.effect !== 'allow' && !isNoteOfConsent(opinion))
  return objections.length > 0 && objections.every((opinion) => isCoverableAsk(opinion, deciders))
}

const isCoverableAsk = (opinion: Opinion, deciders: readonly Decider[]): boolean =>
  isPlainAskOfPolicy(opinion) || deciders.some((decider) => isItsAsk(decider, opinion))

const isItsAsk = ({ name, coverable }: Decider, { decider, effect, rule }: Opinion): boolean =>
  coverable !== undefined && name === decider && effect === 'ask' && rule === coverable.rule

/** What is asked about besides what the policy asks. */
const coverableAsks = ({ evidence }: Verdict, deciders: readonly Decider[]): readonly CoverableAsk[] =>
  deciders.flatMap((decider) =>
    decider.coverable !== undefined && evidence.some((opinion) => isItsAsk(decider, opinion))
      ? [decider.coverable]
      : [],
  )

function statesPlaces({ row }: ConsentFact, ask: CoverableAsk, facts: Facts): boolean {
  const places = ask.places(facts)
  return places !== 'unknown' && places.every((place) => statesValue(row.what.args, place))
}

/** A note about a consent that did not cover the call: information only, not a reason to ask. */
const isNoteOfConsent = ({ decider, rule }: Opinion): boolean => decider === DECIDER && rule === NOTE

const MOST_NOTES = 3

/** Adds a note about each consent that might have been expected to cover the call. */
function withNotes(verdict: Verdict, call: Call, facts: Facts, deciders: readonly Decider[]): Verdict {
  const notes = notesOn(verdict, call, facts, deciders)
  return notes.length === 0 ? verdict : { ...verdict, evidence: [...verdict.evidence, ...notes] }
}

/** Why each consent for this caller and tool does not cover the call. */
function notesOn(verdict: Verdict, call: Call, facts: Facts, deciders: readonly Decider[]): Opinion[] {
  if (verdict.effect !== 'ask' || verdict.observed !== undefined) return []
  const uncovered = verdict.evidence.find((one) => one.effect === 'ask' && !isCoverableAsk(one, deciders))
  const [unstated] = coverableAsks(verdict, deciders)
  return [...(facts.consents ?? []), ...(facts.near ?? [])]
    .filter(({ row }) => isFor(row, call))
    .slice(0, MOST_NOTES)
    .map((consent) => {
      const why =
        whyNot(consent, call, facts) ?? whyNotAsked(consent, call, verdict, facts) ?? whyUncovered(uncovered, unstated)
      const says = `the consent ${consent.row.consent_id} does not cover this call: ${why}`
      return {
        decider: DECIDER,
        effect: 'ask',
        strength: 'simple',
        rule: NOTE,
        says,
        source: 'consent',
        at: facts.now,
      }
    })
}

function whyNotAsked(consent: ConsentFact, call: Call, { route }: Verdict, facts: Facts): string | undefined {
  if (route === undefined) return undefined
  if (route.people > 1) return `the route ${route.id} requires ${route.people} people`
  return isFromAsked(consent, call, facts) ? undefined : `it was not given by somebody whom the route ${route.id} asks`
}

function whyUncovered(uncovered: Opinion | undefined, unstated: CoverableAsk | undefined): string {
  if (uncovered === undefined) return unstated?.says ?? 'it does not match'
  if (uncovered.decider !== 'policy')
    return `no consent covers what ${uncovered.decider} asks about (${uncovered.rule})`
  return uncovered.strength === 'two_person'
    ? `the rule ${uncovered.rule} requires two people`
    : `the rule ${uncovered.rule} requires a passphrase`
}

function isPlainAskOfPolicy({ decider, effect, strength, proof }: Opinion): boolean {
  return decider === 'policy' && effect === 'ask' && strength !== 'two_person' && proof === undefined
}

/** The consent of either kind that allowed a call. */
export function consentNamed({ evidence }: Verdict): string | undefined {
  const opinion = evidence.at(-1)
  return opinion?.decider === DECIDER && opinion.effect === 'allow' ? opinion.rule : undefined
}

/** The consent that allowed a call, according to its evidence. */
export function consentIn(verdict: Verdict): ConsentId | undefined {
  const opinion = verdict.evidence.at(-1)
  return opinion?.decider === DECIDER ? ConsentId.safeParse(opinion.rule).data : undefined
}

/** The same, with everything needed to spend it. */
export function consentUsed(verdict: Verdict, facts: Pick<Facts, 'consents'>): ConsentFact | undefined {
  const id = verdict.effect === 'allow' ? consentIn(verdict) : undefined
  return facts.consents?.find(({ row }) => row.consent_id === id)
}

/** If several match, the one that expires first is used, so that none is wasted; the order is the same on every machine. */
function byExpiry(a: ConsentFact, b: ConsentFact): number {
  return (
    Number(b.spent === true) - Number(a.spent === true) ||
    a.row.expires_at - b.row.expires_at ||
    a.left.calls - b.left.calls ||
    (a.row.consent_id < b.row.consent_id ? -1 : 1)
  )
}

const allowedBy = (rule: string, says: string, at: number): Opinion => ({
  decider: DECIDER,
  effect: 'allow',
  rule,
  says,
  source: 'consent',
  at,
})

function taking({ row, left, cost, spent }: ConsentFact): string {
  if (spent === true) return 'an earlier attempt of this call has already used it'
  const calls = `this call uses 1 of the ${left.calls} remaining calls`
  return row.cost === undefined ? calls : `${calls} and ${cost} of the ${left.cost ?? 0} remaining units of cost`
}
