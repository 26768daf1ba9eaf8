import type { Call } from '../contract/call.ts'
import type { Json } from '../contract/json.ts'
import { recipientsIn } from '../text/argument-roles.ts'
import { lookAlikesOf, type LookAlikeValue } from '../approvals/recipient-marks.ts'
import { inSteps } from '../ports/in-steps.ts'
import type { Searches } from '../ports/reads.ts'
import type { YieldWhenDue } from '../ports/runtime.ts'
import type { Judgement } from '../decide/judging.ts'

export type RecipientDeps = {
  readonly searches: Searches
  readonly judgement: Pick<Judgement, 'scanner'>
  readonly yieldWhenDue?: YieldWhenDue
}

/** How many earlier calls of the user with the same tool are read. */
const MOST_CALLS = 50
const LONGEST_ARGS = 16_384
const MOST_RECIPIENTS = 200

/** Which recipients of a call can be mistaken for those of executed calls of the same user and tool. `shown`: the arguments as approvers see them. */
export async function lookAlikeRecipients(
  deps: RecipientDeps,
  { tool_id, caller }: Pick<Call, 'tool_id' | 'caller'>,
  shown: string,
): Promise<readonly LookAlikeValue[]> {
  const asked = await recipientsOf(deps, tool_id, shown)
  if (asked.length === 0) return []
  const where = { tool_id, user: caller.user, state: 'executed' }
  const { items } = await deps.searches.search('calls', where, { limit: MOST_CALLS, newest_first: true })
  const known = new Set<string>()
  for (const { row } of items) {
    if (row.canonical_args.length > LONGEST_ARGS || known.size >= MOST_RECIPIENTS) continue
    for (const { text } of await recipientsOf(deps, tool_id, row.canonical_args)) known.add(text)
  }
  const found = lookAlikesOf(asked.slice(0, MOST_RECIPIENTS), known)
  const isShown = await Promise.all(
    found.map(async (one) => (await deps.judgement.scanner.redact(one.known, 'shown')) === one.known),
  )
  return found.filter((_, at) => isShown[at])
}

const recipientsOf = (deps: RecipientDeps, tool_id: string, args: string) =>
  inSteps(deps.yieldWhenDue, recipientsIn(JSON.parse(args) as Json, tool_id))
