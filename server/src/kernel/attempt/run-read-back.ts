import type { AuditDraft } from '../contract/audit.ts'
import type { Call, ToolResult } from '../contract/call.ts'
import type { PauseScope } from '../contract/pause.ts'
import type { Problem } from '../contract/problems.ts'
import type { Finding, PlannedReadBack } from '../contract/standard.ts'
import { inForce, type Tool } from '../contract/tool.ts'
import { toolIdOf } from '../catalogue/definition.ts'
import { outputText } from './interpret.ts'
import { judgeAnswer } from './plan-read-back.ts'
import { canonicalJson } from '../json/canonical.ts'
import { auditOf } from './call-changes.ts'
import { lostAt, whyUnrecorded } from '../changes/unrecorded.ts'
import { expectTool, readPauses } from './facts/changeable-facts.ts'
import type { Change, Ledger } from '../ports/ledger.ts'
import type { Tables } from '../ports/reads.ts'
import type { Clock, Probe } from '../ports/runtime.ts'
import type { ToolServers, UpstreamAnswer } from '../ports/upstream.ts'
import { problemOfFilled } from './judge-filled.ts'
import type { RollbackDeps } from './siblings-of.ts'
import type { FilledDeps } from '../decide/judging.ts'

export type AskServerDeps = FilledDeps & {
  readonly servers: ToolServers
  readonly ledger: Ledger
  readonly tables: Tables
  readonly clock: Clock
  readonly probe: Probe
}

/** What the gate itself asks a tool of a call's server. The policy is not evaluated again: the operator declared the question. */
export type GateQuestion = {
  readonly part: 'dry-run' | 'check' | 'verify'
  readonly call: Call
  readonly tool: Tool
  readonly canonical_args: string
  /** Makes the question unique: a server that remembers idempotency keys must not answer with an old state. */
  readonly key: string
  /** What the judgement that lets it be asked relies on. */
  readonly expects: readonly Change[]
  readonly entry: (at: number) => AuditDraft
}

/** `overtaken`: something that prevents the question was acknowledged before it was recorded. It was sent only if the server answered. */
export type ServerReply =
  | UpstreamAnswer
  | { readonly is: 'prevented'; readonly says: string }
  | { readonly is: 'overtaken' }
  | { readonly is: 'unrecorded'; readonly problem: Problem }

/**
 * Asks the server of a call: a dry run, a check, a read-back. What applies regardless of the policy applies here too: the gate's own files
 * and credentials, sandboxes and traps, changes of the tool since, and pauses.
 */
export async function askServer(deps: AskServerDeps, question: GateQuestion): Promise<ServerReply> {
  const { part, call, tool, canonical_args } = question
  const { pauses, expects } = await pausesOf(deps, question)
  if (pauses === 'unknown') return { is: 'prevented', says: 'it could not be checked whether it is paused' }
  if (pauses.length > 0) return { is: 'prevented', says: 'it is paused' }
  const forbidden = await problemOfFilled(deps, call, tool, canonical_args, part === 'verify')
  if (forbidden !== undefined) return { is: 'prevented', says: `it was not asked: ${forbidden}` }
  const recorded = await recordQuestion(deps.ledger, [...question.expects, ...expects], question.entry(deps.clock()))
  if (recorded === 'overtaken') return { is: 'overtaken' }
  if (recorded !== 'recorded') return { is: 'unrecorded', problem: recorded }
  if (part !== 'dry-run') deps.probe(`${part}.before`)
  return deps.servers.call({
    server: call.server,
    tool: tool.row.definition.name,
    canonical_args,
    idempotency_key: `${call.call_id}/${question.key}`,
    user: call.caller.user,
    trace: call.trace,
  })
}

/**
 * INVARIANT: a question of the gate, and a read that is passed on, is recorded before it is sent, in a commit that is lost if a pause or
 * another definition was acknowledged.
 */
export async function recordQuestion(
  ledger: Ledger,
  expects: readonly Change[],
  entry: AuditDraft,
): Promise<'recorded' | 'overtaken' | Problem> {
  const recorded = await ledger.commit([...expects, { kind: 'audit', entry }])
  if (recorded === 'committed') return 'recorded'
  return lostAt(recorded) === undefined ? whyUnrecorded(recorded) : 'overtaken'
}

/** The call was judged with the pauses and the row of its own tool. A pause of a caller does not stop a read-back of what that caller has done. */
async function pausesOf(deps: AskServerDeps, { part, call, tool }: GateQuestion) {
  const { tool_id } = tool.row
  if (part === 'dry-run' && tool_id === call.tool_id) return { pauses: [], expects: [] }
  const { pauses, expects } = await readPauses(
    deps,
    { ...call, tool_id },
    part === 'verify' ? isNotOfCaller : undefined,
  )
  return { pauses, expects: [...expects, ...expectTool(tool)] }
}

const isNotOfCaller = (scope: PauseScope): boolean => !scope.startsWith('caller:')

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
): Promise<Finding | Unrecorded> {
  const tool_id = toolIdOf(call.server, plan.tool, deps.digest)
  const found = (ok: Finding['ok'], says: string, more: Pick<Finding, 'digest' | 'preview'> = {}): Finding => {
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
    const { ok, says } = judgeAnswer(plan, reply.result)
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
  if (!tool.effects.every((effect) => effect === 'read')) return 'it does more than read'
  if (tool.row.admitted?.hash !== tool.row.definition_hash) return 'its definition is not the admitted one'
  return undefined
}

function traceOf(deps: AskDeps, result: ToolResult): Pick<Finding, 'digest' | 'preview'> {
  const text = outputText(result)
  return { digest: deps.digest(text), preview: text.slice(0, PREVIEW) }
}
