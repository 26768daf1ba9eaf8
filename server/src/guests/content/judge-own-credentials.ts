import type { Call } from '../../kernel/contract/call.ts'
import { inForce } from '../../kernel/contract/tool.ts'
import type { Opinion } from '../../kernel/contract/verdict.ts'
import type { Facts } from '../../kernel/decide/facts.ts'
import type { Policy } from '../../kernel/policy/policy.ts'
import { namePlaces, shownPointer } from '../../kernel/text/shown-pointer.ts'

type CredentialFacts = Pick<Facts, 'guarded' | 'tool' | 'now'>

/**
 * No call may contain one of the gate's own credentials, whatever its tool does: the sender has either read what it should not
 * have, or is about to leak it.
 * INVARIANT: the evidence names the place, never the text.
 */
export function judgeOwnCredentials(
  _policy: Policy | undefined,
  _call: Call,
  { guarded, tool, now }: CredentialFacts,
): Opinion[] {
  if (guarded.own.length === 0) return []
  const schema = inForce(tool.row).definition.inputSchema
  const places = namePlaces(guarded.own.map((path) => shownPointer(path, schema)))
  const says = `${places} contains one of the gate's own credentials, which no call may send`
  return [{ decider: 'content', effect: 'block', rule: 'content.own_credential', says, source: 'the gate', at: now }]
}
