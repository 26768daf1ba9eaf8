import type { Call, ToolResult } from '../../contract/call.ts'
import type { Finding, PlannedReadBack } from '../../contract/standard.ts'
import { inForce, type Tool } from '../../contract/tool.ts'
import { toolIdOf } from '../../core/catalogue/definition.ts'
import { outputText } from '../../core/gate/interpret.ts'
import { pauseScopesOf } from '../../core/gate/judge-pause.ts'
import { judgeAnswer } from '../../core/gate/standard/plan-read-back.ts'
import { canonicalJson } from '../../core/json/canonical.ts'
import { validateAgainst } from '../../core/json/validate-args.ts'
import { auditOf } from './call-changes.ts'
import type { Clock, Ledger, Probe, Shelves, ToolServers } from '../ports.ts'
import type { RollbackDeps } from './siblings-of.ts'

export type AskDeps = RollbackDeps & {
  readonly servers: ToolServers
  readonly ledger: Ledger
  readonly shelves: Shelves
  readonly clock: Clock
  readonly probe: Probe
}

/** `attempt` makes the question of each try its own: a server that remembers keys must not answer with an old state. */
export type Question = {
  readonly part: 'check' | 'verify'
  readonly attempt: number
  readonly plan: PlannedReadBack
}

const PREVIEW = 500

/**
 * Asks a tool of the call's server whether the world is as it was declared to be. The operator declared the question and that
 * the tool only reads, so no rule is asked again; what has changed about the tool since, and a pause, still count.
 * INVARIANT: it is on record before it is sent.
 */
export async function askBack(
  deps: AskDeps,
  call: Call,
  { part, attempt, plan }: Question,
): Promise<Finding | 'unrecorded'> {
  const tool_id = toolIdOf(call.server, plan.tool, deps.digest)
  const found = (ok: Finding['ok'], says: string, more: Pick<Finding, 'digest' | 'preview'> = {}): Finding => ({
    ok,
    tool: tool_id,
    says: `${tool_id}: ${says}`,
    expected: plan.expected,
    at: deps.clock(),
    ...more,
  })
  const tool = deps.catalogue.tool(tool_id)
  const hindrance = hindranceOf(tool) ?? (await pauseOf(deps, { ...call, tool_id }))
  if (tool === undefined || hindrance !== undefined) return found('unknown', hindrance ?? 'no such tool')
  const canonical = canonicalJson(plan.args)
  const { definition, hash } = inForce(tool.row)
  if (!canonical.ok || !validateAgainst(definition.inputSchema, hash, plan.args).ok)
    return found('unknown', 'the declared arguments do not fit its schema')
  const about = { asked: tool_id, asked_args_hash: deps.digest(canonical.value) }
  const entry = auditOf(`call.${part}_started`, call, deps.clock(), { about })
  if ((await deps.ledger.commit([{ kind: 'audit', entry }])) !== 'committed') return 'unrecorded'
  deps.probe(`${part}.before`)
  const answer = await deps.servers.call({
    server: call.server,
    tool: plan.tool,
    canonical_args: canonical.value,
    idempotency_key: `${call.call_id}/${part}/${attempt}`,
    trace: call.trace,
  })
  if (answer.is === 'rejected') return found('unknown', 'it refused the question')
  if (answer.is !== 'answered') return found('unknown', `it could not be asked [${answer.problem.code}]`)
  const { ok, says } = judgeAnswer(plan, answer.result)
  return found(ok, says, traceOf(deps, answer.result))
}

/** Why a tool is not asked. Its effects are configured, so only a reload can have changed them. */
function hindranceOf(tool: Tool | undefined): string | undefined {
  if (tool === undefined || tool.row.gone_at !== undefined) return 'its server does not offer it'
  if (!tool.effects.every((effect) => effect === 'read')) return 'it does more than read'
  if (tool.row.admitted?.hash !== tool.row.definition_hash) return 'it is not the tool that was admitted'
  return undefined
}

/** A pause of a caller does not stop the gate's own question about what that caller did. */
async function pauseOf(deps: AskDeps, call: Call): Promise<string | undefined> {
  const scopes = pauseScopesOf(call).filter((scope) => !scope.startsWith('caller:'))
  try {
    const held = await Promise.all(scopes.map((scope) => deps.shelves.row('pauses', scope)))
    return held.some((pause) => pause?.row.active === true) ? 'it is paused' : undefined
  } catch {
    return 'whether it is paused could not be read'
  }
}

function traceOf(deps: AskDeps, result: ToolResult): Pick<Finding, 'digest' | 'preview'> {
  const text = outputText(result)
  return { digest: deps.digest(text), preview: text.slice(0, PREVIEW) }
}
