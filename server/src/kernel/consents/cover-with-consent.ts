import { isSameName } from '../contract/folded-name.ts'
import type { Call } from '../contract/call.ts'
import { ConsentId, FlowConsentId } from '../contract/ids.ts'
import type { Opinion, Verdict } from '../contract/verdict.ts'
import type { RouteFact } from '../decide/facts.ts'
import { personalIn, type ContentFact } from '../../guests/content/content-fact.ts'
import { flowConsentedBy, matchFlowConsent, type FlowConsentFact } from '../../guests/flows/flow-consent.ts'
import { isFor, matchConsent, whyNot, type ConsentFact, type ConsentMoment } from './match-consent.ts'
import { statesValue } from './states-value.ts'

const DECIDER = 'consent'
const NOTE = 'consent.not_covering'

/** `content` is needed only if personal data is asked about. */
export type CoverFacts = ConsentMoment & {
  readonly consents?: readonly ConsentFact[]
  /** For this caller and tool, but not matching this call. */
  readonly near?: readonly ConsentFact[]
  readonly content?: ContentFact
  readonly route?: RouteFact
  /** For a call made by a flow's step. */
  readonly flow_consent?: FlowConsentFact
}

/**
 * The last step of a decision: a matching consent turns an ask into allow, and says so in the evidence.
 * INVARIANT: only asks of the policy that need neither two people nor a passphrase are changed, and asks about personal data only
 * if the consent states the value of every field that contains it.
 */
export function coverWithConsent(verdict: Verdict, call: Call, facts: CoverFacts): Verdict {
  if (!isCoverable(verdict)) return withNotes(verdict, call, facts)
  const covers = (consent: ConsentFact) =>
    matchConsent(consent, call, facts) &&
    isFromAsked(consent, call, facts) &&
    (!asksAboutPersonal(verdict) || namesPersonal(consent, facts))
  const flow = facts.flow_consent
  // A flow's consent names no arguments, so it never covers personal data in them. Its minter is the requester, whom no route
  // asks.
  const isFree = !asksAboutPersonal(verdict) && facts.route?.members === undefined
  if (flow !== undefined && isFree && matchFlowConsent(flow, call, facts))
    return { effect: 'allow', evidence: [...verdict.evidence, flowConsentedBy(flow, facts.now)] }
  const matching = (facts.consents ?? []).filter(covers)
  const [consent] = matching.toSorted(byExpiry)
  if (consent === undefined) return withNotes(verdict, call, facts)
  return { effect: 'allow', evidence: [...verdict.evidence, consentedBy(consent, facts.now)] }
}

/**
 * INVARIANT: if a route asks a group, only a consent by a member of that group other than the requester counts. A substitute
 * cannot give one, because a consent lasts longer than a delegation.
 */
function isFromAsked({ row }: ConsentFact, { caller }: Call, { route }: CoverFacts): boolean {
  if (route?.members === undefined) return true
  return (
    row.minted_user !== undefined && !isSameName(row.minted_user, caller.user) && route.members.has(row.minted_user)
  )
}

/** Whether a consent could ever cover this ask. */
export function isCoverable({
  effect,
  evidence,
  observed,
  route,
}: Pick<Verdict, 'effect' | 'evidence' | 'observed' | 'route'>): boolean {
  if (effect !== 'ask' || observed !== undefined || (route?.people ?? 1) > 1) return false
  const objections = evidence.filter((opinion) => opinion.effect !== 'allow' && !isNoteOfConsent(opinion))
  return (
    objections.length > 0 && objections.every((opinion) => isPlainAskOfPolicy(opinion) || isAskAboutPersonal(opinion))
  )
}

/** A note about a consent that did not cover the call: information only, not a reason to ask. */
const isNoteOfConsent = ({ decider, rule }: Opinion): boolean => decider === DECIDER && rule === NOTE

const MOST_NOTES = 3

/** Adds a note about each consent that might have been expected to cover the call. */
function withNotes(verdict: Verdict, call: Call, facts: CoverFacts): Verdict {
  const notes = notesOn(verdict, call, facts)
  return notes.length === 0 ? verdict : { ...verdict, evidence: [...verdict.evidence, ...notes] }
}

/** Why each consent for this caller and tool does not cover the call. */
function notesOn(verdict: Verdict, call: Call, facts: CoverFacts): Opinion[] {
  if (verdict.effect !== 'ask' || verdict.observed !== undefined) return []
  const uncovered = verdict.evidence.find(
    (one) => one.effect === 'ask' && !isPlainAskOfPolicy(one) && !isAskAboutPersonal(one),
  )
  return [...(facts.consents ?? []), ...(facts.near ?? [])]
    .filter(({ row }) => isFor(row, call))
    .slice(0, MOST_NOTES)
    .map((consent) => {
      const why = whyNot(consent, call, facts) ?? whyNotAsked(consent, call, verdict, facts) ?? whyUncovered(uncovered)
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

function whyNotAsked(consent: ConsentFact, call: Call, { route }: Verdict, facts: CoverFacts): string | undefined {
  if (route === undefined) return undefined
  if (route.people > 1) return `the route ${route.id} requires ${route.people} people`
  return isFromAsked(consent, call, facts) ? undefined : `it was not given by somebody whom the route ${route.id} asks`
}

function whyUncovered(uncovered: Opinion | undefined): string {
  if (uncovered === undefined) return 'it does not name the field that contains personal data'
  if (uncovered.decider !== 'policy')
    return `no consent covers what ${uncovered.decider} asks about (${uncovered.rule})`
  return uncovered.strength === 'two_person'
    ? `the rule ${uncovered.rule} requires two people`
    : `the rule ${uncovered.rule} requires a passphrase`
}

const isAskAboutPersonal = ({ decider, effect, rule }: Opinion): boolean =>
  decider === 'content' && effect === 'ask' && rule === 'content.pii'

const asksAboutPersonal = ({ evidence }: Verdict): boolean => evidence.some(isAskAboutPersonal)

/** If there were too many findings to list, no consent can have named them all. */
function namesPersonal({ row }: ConsentFact, { content, tool }: CoverFacts): boolean {
  if (content === undefined || content.scan === 'unknown' || content.scan.more.pii > 0) return false
  return personalIn(content.scan.findings, tool, content.reach).every((finding) => statesValue(row.what.args, finding))
}

function isPlainAskOfPolicy({ decider, effect, strength, proof }: Opinion): boolean {
  return decider === 'policy' && effect === 'ask' && strength !== 'two_person' && proof === undefined
}

/** The consent of either kind that allowed a call. */
export const consentNamed = (verdict: Verdict): string | undefined =>
  consentIn(verdict) ?? (isFlowConsented(verdict) ? verdict.evidence.at(-1)?.rule : undefined)

/** Whether a flow's consent allowed a call. */
export const isFlowConsented = ({ evidence }: Verdict): boolean => {
  const opinion = evidence.at(-1)
  return opinion?.decider === DECIDER && FlowConsentId.safeParse(opinion.rule).success
}

/** The consent that allowed a call, according to its evidence. */
export function consentIn(verdict: Verdict): ConsentId | undefined {
  const opinion = verdict.evidence.at(-1)
  return opinion?.decider === DECIDER ? ConsentId.safeParse(opinion.rule).data : undefined
}

/** The same, with everything needed to spend it. */
export function consentUsed(verdict: Verdict, facts: CoverFacts): ConsentFact | undefined {
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

function consentedBy(consent: ConsentFact, at: number): Opinion {
  const { row } = consent
  const says = `covered by a consent for ${row.actor}${row.user === undefined ? '' : ` of ${row.user}`}, granted by ${row.minted_by}; ${taking(consent)}`
  return { decider: DECIDER, effect: 'allow', rule: row.consent_id, says, source: 'consent', at }
}

function taking({ row, left, cost, spent }: ConsentFact): string {
  if (spent === true) return 'an earlier attempt of this call has already used it'
  const calls = `this call uses 1 of the ${left.calls} remaining calls`
  return row.cost === undefined ? calls : `${calls} and ${cost} of the ${left.cost ?? 0} remaining units of cost`
}
