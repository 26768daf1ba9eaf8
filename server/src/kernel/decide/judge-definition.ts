import type { Call } from '../contract/call.ts'
import type { Tool, ToolRow } from '../contract/tool.ts'
import { NO_OPINIONS, type Opinion } from '../contract/verdict.ts'
import { changedFields } from '../catalogue/definition.ts'
import type { LookAlike } from '../catalogue/look-alike.ts'
import { quoted } from '../contract/visible-text.ts'
import type { Facts } from './facts.ts'
import type { Policy } from '../policy/policy.ts'

/** A tool should be the one the operator admitted, under a distinct name. A changed, new or look-alike tool needs a person. */
export const judgeDefinition = (_policy: Policy, call: Call, facts: Facts): readonly Opinion[] =>
  planDefinition(facts.tool)(call, facts)

type Finding = Pick<Opinion, 'effect' | 'rule' | 'says'>
const MOVED: Finding = {
  effect: 'block',
  rule: 'definition.moved',
  says: 'the tool changed after this call was requested',
}

/** The same for all calls to this tool. Whether it is the admitted one is determined once. */
export function planDefinition({ row }: Pick<Tool, 'row'>): (call: Call, facts: Facts) => readonly Opinion[] {
  const listed = findingOn(row)
  return (call, { look_alikes, now }) => {
    const found = call.definition_hash === row.definition_hash ? listed : MOVED
    if (found === undefined && look_alikes.length === 0) return NO_OPINIONS
    const imitations = look_alikes.map((other) =>
      opinionOf(row, { effect: 'ask', rule: 'definition.look_alike', says: sayLookAlike(other) }, now),
    )
    return found === undefined ? imitations : [opinionOf(row, found, now), ...imitations]
  }
}

function findingOn(row: ToolRow): Finding | undefined {
  if (row.gone_at !== undefined)
    return { effect: 'block', rule: 'definition.gone', says: 'the server no longer lists this tool' }
  if (row.admitted === undefined) {
    const says = 'the tool appeared after its server was added and has not been admitted'
    return { effect: 'ask', rule: 'definition.new', says }
  }
  if (row.admitted.hash === row.definition_hash) return undefined
  return { effect: 'ask', rule: 'definition.changed', says: sayChanged(row, row.admitted) }
}

const opinionOf = ({ server }: ToolRow, { effect, rule, says }: Finding, at: number): Opinion => ({
  decider: 'definition',
  effect,
  rule,
  says,
  source: `server ${server}`,
  at,
  ...STRONG_IF[effect],
})

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
