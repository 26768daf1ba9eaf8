import type { Call } from '../../contract/call.ts'
import type { Json } from '../../contract/json.ts'
import { inForce } from '../../contract/tool.ts'
import type { Opinion } from '../../contract/verdict.ts'
import type { Facts } from './facts.ts'
import { holdsOwn } from './own-credentials/strike-own.ts'
import type { Policy } from './policy/policy.ts'
import { namePlaces, shownPointer } from './shown-pointer.ts'
import { textLeaves } from './text-leaves.ts'

/**
 * No call carries one of the gate's own credentials anywhere, whatever its tool does: who sends one has read what it should
 * not have, or is about to give it away. INVARIANT: the evidence names the place, never the text.
 */
export function judgeOwnCredentials(_policy: Policy, call: Call, facts: Facts): Opinion[] {
  const own = facts.own_credentials
  const args: Json = JSON.parse(call.canonical_args)
  const found = textLeaves(args).filter(({ text }) => text.length >= SHORTEST && holdsOwn(text, own))
  if (found.length === 0) return []
  const schema = inForce(facts.tool.row).definition.inputSchema
  const places = namePlaces(found.map(({ path }) => shownPointer(path, schema)))
  const says = `${places} holds one of the gate's own credentials, and no call may carry one`
  return [
    { decider: 'content', effect: 'block', rule: 'content.own_credential', says, source: 'the gate', at: facts.now },
  ]
}

/** Nothing shorter is a credential. */
const SHORTEST = 12
