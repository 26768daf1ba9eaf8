import type { Call, CallRow } from '../../contract/call.ts'
import type { Tool } from '../../contract/tool.ts'
import { toolIdOf } from '../../core/catalogue/definition.ts'
import { describeStandard, type StandardSentences } from '../../core/gate/standard/describe-standard.ts'
import type { Sources } from '../../core/gate/standard/fill-template.ts'
import { rollbackOf, type Siblings } from '../../core/gate/standard/rollback-of.ts'
import type { Judgement } from './facts/load-judgement.ts'
import type { Catalogue } from '../ports/catalogue.ts'
import type { Digest } from '../ports/runtime.ts'

export type SiblingDeps = { readonly catalogue: Catalogue; readonly digest: Digest }

/** The tools that a server offers now, by the server's own names. */
export function siblingsOf({ catalogue, digest }: SiblingDeps, server: string): Siblings {
  return (name) => {
    const row = catalogue.tool(toolIdOf(server, name, digest))?.row
    return row === undefined || row.gone_at !== undefined ? undefined : row.tool_id
  }
}

export type RollbackDeps = SiblingDeps & { readonly judgement: Pick<Judgement, 'scanner'> }

/** What would undo a call. The sentence is for people, without secrets. */
export async function rollbackFor(
  deps: RollbackDeps,
  call: Pick<Call, 'server'>,
  tool: Tool,
  sources: Sources,
): Promise<Pick<CallRow, 'rollback'>> {
  if (tool.rollback === undefined) return {}
  const rollback = rollbackOf(tool.rollback, siblingsOf(deps, call.server), sources)
  return { rollback: { ...rollback, says: await deps.judgement.scanner.redact(rollback.says, 'shown') } }
}

/** How a tool is executed, as declared. */
export function standardOf(deps: SiblingDeps, tool: Tool): StandardSentences {
  return describeStandard(tool, siblingsOf(deps, tool.row.server))
}
