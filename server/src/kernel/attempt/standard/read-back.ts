import type { Call, ToolResult } from '../../contract/call.ts'
import type { Problem } from '../../contract/problems.ts'
import type { Verification, PlannedReadBack } from '../../contract/standard.ts'
import { inForce, onlyReads, type Tool } from '../../contract/tool.ts'
import { toolIdOf } from '../../catalogue/definition.ts'
import { canonicalJson } from '../../json/canonical.ts'
import { askServer, type AskServerDeps } from '../ask-server.ts'
import { auditOf } from '../call-changes.ts'
import { outputText } from '../interpret.ts'
import { judgeReply } from './plan-read-back.ts'
import type { RollbackDeps } from './rollback.ts'

export type AskDeps = RollbackDeps & AskServerDeps

/** `attempt`: the try of the call that this belongs to. */
export type Question = {
  readonly part: 'check' | 'verify'
  readonly attempt: string
  readonly plan: PlannedReadBack
}

/** Not asked, because the question could not be recorded. */
export type Unrecorded = { readonly unrecorded: Problem }

const PREVIEW = 500

const TRIES = 5

/** Asks a tool of the call's server whether a declared condition holds. The operator declared that this tool only reads. */
export async function runReadBack(
  deps: AskDeps,
  call: Call,
  { part, attempt, plan }: Question,
): Promise<Verification | Unrecorded> {
  const tool_id = toolIdOf(call.server, plan.tool, deps.digest)
  const found = (
    ok: Verification['ok'],
    says: string,
    more: Pick<Verification, 'digest' | 'preview'> = {},
  ): Verification => {
    return { ok, tool: tool_id, says: `${tool_id}: ${says}`, expected: plan.expected, at: deps.clock(), ...more }
  }
  for (let tries = 0; tries < TRIES; tries += 1) {
    const tool = deps.catalogue.tool(tool_id)
    const obstacle = obstacleOf(tool)
    if (tool === undefined || obstacle !== undefined) return found('unknown', obstacle ?? 'no such tool')
    const canonical_args = await argsFor(deps, tool, plan)
    if (canonical_args === undefined) return found('unknown', 'the declared arguments do not match its schema')
    const about = { asked: tool_id, asked_args_hash: deps.digest(canonical_args) }
    const entry = (at: number) => auditOf(`call.${part}_started`, call, at, { about })
    const key = `${part}/${attempt}`
    const reply = await askServer(deps, { part, call, tool, canonical_args, key, expects: [], entry })
    if (reply.is === 'overtaken') continue
    if (reply.is === 'unrecorded') return { unrecorded: reply.problem }
    if (reply.is === 'prevented') return found('unknown', reply.says)
    if (reply.is === 'rejected') return found('unknown', 'it refused the question')
    if (reply.is !== 'answered') return found('unknown', `it could not be asked [${reply.problem.code}]`)
    const { ok, says } = judgeReply(plan, reply.result)
    return found(ok, says, traceOf(deps, reply.result))
  }
  return found('unknown', 'it was paused or changed on every attempt')
}

async function argsFor({ judgement }: AskDeps, { row }: Tool, { args }: PlannedReadBack): Promise<string | undefined> {
  const canonical = canonicalJson(args)
  const { definition, hash } = inForce(row)
  const isValid = canonical.ok && (await judgement.scanner.validate(definition.inputSchema, hash, args)).ok
  return isValid ? canonical.value : undefined
}

/** Why a tool cannot be asked. Its effects are configured, so only a reload can have changed them. */
function obstacleOf(tool: Tool | undefined): string | undefined {
  if (tool === undefined || tool.row.gone_at !== undefined) return 'its server does not offer it'
  if (!onlyReads(tool)) return 'it does more than read'
  if (tool.row.admitted?.hash !== tool.row.definition_hash) return 'its definition is not the admitted one'
  return undefined
}

function traceOf(deps: AskDeps, result: ToolResult): Pick<Verification, 'digest' | 'preview'> {
  const text = outputText(result)
  return { digest: deps.digest(text), preview: text.slice(0, PREVIEW) }
}
