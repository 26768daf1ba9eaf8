import type { Rollback, RollbackSettings } from '../contract/standard.ts'
import { fillTemplate, type Sources } from './fill-template.ts'
import { sayAbsent } from './plan-read-back.ts'
import { sayTemplate } from './say-template.ts'

/** The id of another tool of the same server, by its own name; undefined if the server does not offer it. */
export type Siblings = (name: string) => string | undefined

/** Whether the policy could allow anybody to call a tool. */
export type CouldRun = (tool_id: string) => boolean

export const NO_ROLLBACK = 'no known rollback'

/**
 * What would undo a call, as far as its arguments and, after it ran, its answer tell. Always filled in from the declaration,
 * because a value filled in earlier could look like a placeholder.
 */
export function rollbackOf(
  declared: RollbackSettings,
  siblings: Siblings,
  couldRun: CouldRun,
  sources: Sources,
): Rollback {
  const { command, tool: name = '' } = declared
  if (command !== undefined) return { is: 'command', command, says: `to undo it by hand: ${command}` }
  const tool = siblings(name)
  if (tool === undefined) return unresolved(`its server has no tool \`${name}\``)
  if (!couldRun(tool)) return unresolved(`the policy allows nobody to call \`${tool}\``)
  const { value: args, open, missing } = fillTemplate(declared.args ?? {}, sources)
  if (missing.length > 0) return unresolved(sayAbsent(missing))
  return { is: 'call', tool, args, open, says: `to undo it, call ${tool}${sayArgs(declared, sources)}` }
}

/** As JSON that can be copied, if all values are known. */
function sayArgs({ args = {} }: RollbackSettings, sources: Sources): string {
  const { value, open } = fillTemplate(args, sources)
  if (open.length === 0) return ` with ${JSON.stringify(value)}`
  return ` with ${Object.entries(args)
    .map(([name, template]) => `\`${name}\` = ${sayTemplate(template, sources)}`)
    .join(', ')}`
}

const unresolved = (why: string): Rollback => ({ is: 'unresolved', says: `${NO_ROLLBACK}: ${why}` })
