import type { Call } from '../../contract/call.ts'
import type { Effect, Opinion } from '../../contract/verdict.ts'
import type { Facts } from './facts.ts'
import type { Policy } from './policy/policy.ts'

/** A tool is what an operator admitted. Silent when it still is; a changed or new one is a person's business. */
export function judgeDefinition(_policy: Policy, call: Call, facts: Facts): Opinion[] {
  const { row } = facts.tool
  const opinion = (effect: Effect, rule: string, says: string): Opinion[] => [
    { decider: 'definition', effect, rule, says, source: `server ${row.server}`, at: facts.now, ...STRONG_IF[effect] },
  ]
  if (call.definition_hash !== row.definition_hash) {
    return opinion('block', 'definition.moved', 'the tool changed after this call was requested')
  }
  if (row.gone_at !== undefined) return opinion('block', 'definition.gone', 'the server no longer lists this tool')
  if (row.admitted === undefined) {
    return opinion('ask', 'definition.new', 'the tool appeared after its server was added, and nobody has admitted it')
  }
  if (row.admitted.hash !== row.definition_hash) {
    return opinion('ask', 'definition.changed', `the tool is not the one ${row.admitted.by} admitted`)
  }
  return []
}

const STRONG_IF = { allow: {}, block: {}, ask: { strength: 'strong' } } as const
