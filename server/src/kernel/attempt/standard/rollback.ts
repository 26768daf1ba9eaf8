import type { Rollback, RollbackSettings, ReadBack } from '../../contract/standard.ts'
import { fillTemplate, type Sources, sayTemplate } from './template.ts'
import { sayAbsent } from './plan-read-back.ts'
import type { Call, CallRow } from '../../contract/call.ts'
import type { Caller } from '../../contract/caller.ts'
import type { Tool } from '../../contract/tool.ts'
import { toolIdOf } from '../../catalogue/definition.ts'
import { couldBeUndoneWith } from '../../policy/possible-opinions.ts'
import type { Policy } from '../../policy/policy.ts'
import type { Catalogue } from '../../ports/catalogue.ts'
import type { Digest } from '../../ports/runtime.ts'
import type { Judgement } from '../../decide/judging.ts'
import { sayExpectation } from './expectations.ts'

/** The id of another tool of the same server, by its own name; undefined if the server does not offer it. */
export type Siblings = (name: string) => string | undefined

/** Whether the policy could allow anybody to call a tool. */
export type CouldRun = (tool_id: string) => boolean

export const NO_ROLLBACK = 'no known way to undo it'

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

export type SiblingDeps = {
  readonly catalogue: Catalogue
  readonly digest: Digest
  readonly policy: () => Policy
}

/** The tools that a server offers now, by the server's own names. */
export function siblingsOf({ catalogue, digest }: SiblingDeps, server: string): Siblings {
  return (name) => {
    const row = catalogue.tool(toolIdOf(server, name, digest))?.row
    return row === undefined || row.gone_at !== undefined ? undefined : row.tool_id
  }
}

/** How many answers are cached per tool. Beyond that, they are computed again. */
const MOST_CALLERS = 100
type Answers = WeakMap<Tool, Map<string, boolean>>
const ANSWERS = new WeakMap<Policy, Answers>()

/** Whether the policy in force could allow anybody to call a tool that would undo a call of this caller. */
export function couldUndoFor({ catalogue, policy }: SiblingDeps, caller: Caller): CouldRun {
  return (tool_id) => {
    const tool = catalogue.tool(tool_id)
    if (tool === undefined || tool.executor !== undefined || tool.row.admitted === undefined) return false
    const now = policy()
    const byTool: Answers = ANSWERS.get(now) ?? new WeakMap()
    ANSWERS.set(now, byTool)
    const known = byTool.get(tool) ?? new Map<string, boolean>()
    byTool.set(tool, known)
    const key = JSON.stringify(caller)
    const before = known.get(key)
    if (before !== undefined) return before
    if (known.size >= MOST_CALLERS) known.clear()
    const could = couldBeUndoneWith(now, caller, tool)
    known.set(key, could)
    return could
  }
}

export type RollbackDeps = SiblingDeps & { readonly judgement: Pick<Judgement, 'scanner'> }

/** What would undo a call. The sentence is for people, without secrets. */
export async function rollbackFor(
  deps: RollbackDeps,
  call: Pick<Call, 'server' | 'caller'>,
  tool: Tool,
  sources: Sources,
): Promise<Pick<CallRow, 'rollback'>> {
  if (tool.rollback === undefined) return {}
  const rollback = rollbackOf(tool.rollback, siblingsOf(deps, call.server), couldUndoFor(deps, call.caller), sources)
  return { rollback: { ...rollback, says: await deps.judgement.scanner.redact(rollback.says, 'shown') } }
}

/** How a tool is executed, as declared. */
export function standardOf(deps: SiblingDeps, caller: Caller, tool: Tool): StandardSentences {
  return describeStandard(tool, siblingsOf(deps, tool.row.server), couldUndoFor(deps, caller))
}

/** The four parts of an execution as sentences, and which of them a tool lacks. */
export type StandardSentences = {
  readonly rollback: string
  readonly check: string
  readonly verify: string
  readonly missing: readonly string[]
}

const NO_DRY_RUN = 'no dry run'
const NO_READ_BACK = 'result not verified'

/** With a call's arguments the rollback is filled in; without them it is shown as declared. */
export function describeStandard(
  tool: Tool | undefined,
  siblings: Siblings,
  couldRun: CouldRun,
  sources: Sources = {},
): StandardSentences {
  const rollback =
    tool?.rollback === undefined ? NO_ROLLBACK : rollbackOf(tool.rollback, siblings, couldRun, sources).says
  const missing = [
    ...(rollback.startsWith(NO_ROLLBACK) ? [NO_ROLLBACK] : []),
    ...(tool?.dry_run === undefined ? [NO_DRY_RUN] : []),
    ...(tool?.verify === undefined ? [NO_READ_BACK] : []),
  ]
  return { rollback, check: sayCheck(tool, siblings), verify: sayVerify(tool, siblings), missing }
}

function sayCheck(tool: Tool | undefined, siblings: Siblings): string {
  const dryRun = tool?.dry_run === undefined ? NO_DRY_RUN : 'has a dry run'
  return tool?.check === undefined ? dryRun : `before it runs, ${sayDemand(tool.check, siblings)}; ${dryRun}`
}

function sayVerify(tool: Tool | undefined, siblings: Siblings): string {
  return tool?.verify === undefined ? NO_READ_BACK : `afterwards ${sayDemand(tool.verify, siblings)}`
}

function sayDemand({ tool, expect }: ReadBack, siblings: Siblings): string {
  return `Sluice checks with ${siblings(tool) ?? tool} that ${expect.map(sayExpectation).join(' and ')}`
}
