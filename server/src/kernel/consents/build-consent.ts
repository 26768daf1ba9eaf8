import { issueLines } from '../contract/issue-lines.ts'
import type { ApprovalRow } from '../contract/approval.ts'
import type { Caller } from '../contract/caller.ts'
import { ConsentTerms, type ConsentActor, type ConsentRow, type Remember } from '../contract/consent.ts'
import type { ApprovalId, ConsentId } from '../contract/ids.ts'
import type { Json } from '../contract/json.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import { mayDecide } from '../approvals/may-decide.ts'
import type { Decider } from '../decide/decider.ts'
import { isCoverable } from './cover-with-consent.ts'
import { permitsArgs } from './permits-args.ts'

export const PATTERNS = 'patterns'
export const CLOSED = 'closed'

/** The index keys under which consents for this caller are stored. */
export function consentListsOf(caller: Caller): readonly string[] {
  return [`caller:${caller.id}`, `user:${caller.user}`, PATTERNS]
}

export function consentListOf(actor: ConsentActor): string {
  return actor.startsWith('caller:') && isPattern(actor) ? PATTERNS : actor
}

const isPattern = (text: string) => /[*?]/.test(text)

export type NewConsent = { readonly consent_id: ConsentId; readonly now: number; readonly from_approval?: ApprovalId }

/**
 * The row of a new consent, or why it cannot be created.
 * INVARIANT: somebody who cannot decide an approval cannot give a consent, and every consent is limited in calls and time.
 */
export function buildConsent(
  wanted: ConsentTerms,
  by: Caller,
  { consent_id, now, from_approval }: NewConsent,
): Result<ConsentRow> {
  const allowed = mayDecide(by)
  if (!allowed.ok) return allowed
  const terms = ConsentTerms.safeParse(wanted)
  if (!terms.success) {
    return refuse('request.invalid', { paths: issueLines(terms.error.issues, 'the consent').join('; ') })
  }
  const { expires_in_s, ...given } = terms.data
  return ok({
    v: 1,
    consent_id,
    ...given,
    minted_by: by.id,
    minted_user: by.user,
    ...(by.credential?.key === undefined ? {} : { minted_key: by.credential.key }),
    minted_at: now,
    expires_at: now + expires_in_s * 1000,
    shelf: consentListOf(given.actor),
    ...(from_approval === undefined ? {} : { from_approval }),
  })
}

/**
 * The terms for remembering an approved request: this caller and user, this tool as currently defined, and these arguments or
 * those that the approver chose to leave open.
 * INVARIANT: the approved call itself always matches the terms.
 */
export function termsToRemember(
  approval: ApprovalRow,
  { args, ...bounds }: Remember,
  deciders: readonly Decider[],
): Result<ConsentTerms> {
  const { approval_id, caller, tool_id, definition_hash, evidence, strength, route } = approval
  // One person cannot extend the decision of two, and a consent covers only asks of the policy.
  const asked = { effect: 'ask', evidence, ...(route === undefined ? {} : { route }) } as const
  if (strength === 'two_person' || !isCoverable(asked, deciders) || isPattern(`${caller.id} ${tool_id}`)) {
    const held = evidence.filter(({ effect }) => effect !== 'allow').map(({ rule }) => rule)
    return refuse('consent.not_rememberable', { approval_id, rules: held.join(', ') })
  }
  const approved = JSON.parse(approval.canonical_args) as Json
  const constraints = args ?? [{ path: '', op: 'equals', value: approved } as const]
  if (!permitsArgs(constraints, approved)) return refuse('consent.not_the_call', { approval_id })
  return ok({
    actor: `caller:${caller.id}`,
    user: caller.user,
    what: { tool: tool_id, args: [...constraints], definition_hash },
    ...bounds,
  })
}
