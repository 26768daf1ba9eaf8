import type { Call, CallRow } from '../contract/call.ts'
import type { Caller } from '../contract/caller.ts'
import type { Tool } from '../contract/tool.ts'
import { toolIdOf } from '../catalogue/definition.ts'
import { couldBeUndoneWith } from '../policy/possible-opinions.ts'
import type { Policy } from '../policy/policy.ts'
import { describeStandard, type StandardSentences } from './describe-standard.ts'
import type { Sources } from './fill-template.ts'
import { rollbackOf, type CouldRun, type Siblings } from './rollback-of.ts'
import type { Catalogue } from '../ports/catalogue.ts'
import type { Digest } from '../ports/runtime.ts'
import type { Judgement } from '../decide/judging.ts'

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
