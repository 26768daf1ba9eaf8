import type { Call } from '../../contract/call.ts'
import type { ToolRow } from '../../contract/tool.ts'
import type { Effect, Opinion } from '../../contract/verdict.ts'
import { changedFields } from '../catalogue/definition.ts'
import type { LookAlike } from '../catalogue/look-alike.ts'
import { quoted } from '../../contract/visible-text.ts'
import type { Facts } from './facts.ts'
import type { Policy } from './policy/policy.ts'

/** A tool should be the one the operator admitted, under a distinct name. A changed, new or look-alike tool needs a person. */
export function judgeDefinition(_policy: Policy, call: Call, facts: Facts): Opinion[] {
  const { row } = facts.tool
  const opinion = (effect: Effect, rule: string, says: string): Opinion => ({
    decider: 'definition',
    effect,
    rule,
    says,
    source: `server ${row.server}`,
    at: facts.now,
    ...STRONG_IF[effect],
  })
  const imitations = facts.look_alikes.map((other) => opinion('ask', 'definition.look_alike', sayLookAlike(other)))
  if (call.definition_hash !== row.definition_hash)
    return [opinion('block', 'definition.moved', 'the tool changed after this call was requested'), ...imitations]
  if (row.gone_at !== undefined)
    return [opinion('block', 'definition.gone', 'the server no longer lists this tool'), ...imitations]
  if (row.admitted === undefined) {
    const says = 'the tool appeared after its server was added and has not been admitted'
    return [opinion('ask', 'definition.new', says), ...imitations]
  }
  if (row.admitted.hash !== row.definition_hash)
    return [opinion('ask', 'definition.changed', sayChanged(row, row.admitted)), ...imitations]
  return imitations
}

const STRONG_IF = { allow: {}, block: {}, ask: { strength: 'strong' } } as const
const LONGEST_ID = 80

/**
 * Names the fields that differ from the admitted definition. The agent reads this sentence, so it quotes nothing of the new
 * definition, not even a parameter name: people see those in the approval packet and in `sluice tools diff`.
 */
function sayChanged(row: ToolRow, admitted: NonNullable<ToolRow['admitted']>): string {
  const fields = changedFields(admitted.definition, row.definition).map((field) => `\`${field}\``)
  const where = fields.length === 0 ? '' : `: ${fields.join(', ')} changed`
  return `the tool's definition is not the one that ${admitted.by} admitted${where}`
}

function sayLookAlike({ tool_id, by }: LookAlike): string {
  const what = by === 'server' ? "its server's name" : `its ${by}`
  return `${what} looks like that of ${quoted(tool_id, LONGEST_ID)}, a tool of another server`
}
