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
import type { ToolServers } from '../ports/upstream.ts'
import { problemOfFilled, type FilledDeps } from '../../guests/content/judge-filled.ts'
import type { RollbackDeps } from './siblings-of.ts'

export type AskDeps = RollbackDeps &
  FilledDeps & {
    readonly servers: ToolServers
    readonly ledger: Ledger
    readonly tables: Tables
    readonly clock: Clock
    readonly probe: Probe
  }

/** `attempt` makes the question of each try unique: a server that remembers idempotency keys must not answer with an old state. */
export type Question = {
  readonly part: 'check' | 'verify'
  readonly attempt: string
  readonly plan: PlannedReadBack
}

/** Not asked, because the question could not be recorded. */
export type Unrecorded = { readonly unrecorded: Problem }

const PREVIEW = 500

const TRIES = 5

/**
 * Asks a tool of the call's server whether a declared condition holds. The operator declared the question and that the tool only
 * reads, so the policy is not evaluated again. What applies regardless of the policy still does: the gate's own files and
 * credentials, sandboxes and traps, changes of the tool since, and pauses.
 * INVARIANT: it is recorded before it is sent, in a commit that is lost if a pause or another definition was acknowledged.
 */
export async function runReadBack(deps: AskDeps, call: Call, question: Question): Promise<Finding | Unrecorded> {
  const tool_id = toolIdOf(call.server, question.plan.tool, deps.digest)
  const found: Found = (ok, says, more = {}) => ({
    ok,
    tool: tool_id,
    says: `${tool_id}: ${says}`,
    expected: question.plan.expected,
    at: deps.clock(),
    ...more,
  })
  for (let tries = 0; tries < TRIES; tries += 1) {
    const recorded = await recordQuestion(deps, call, question, tool_id)
    if ('obstacle' in recorded) return found('unknown', recorded.obstacle)
    if (recorded.is === 'committed') return await sendQuestion(deps, call, question, recorded.canonical_args, found)
    if (recorded.is === 'unrecorded') return { unrecorded: recorded.why }
  }
  return found('unknown', 'it was paused or changed on every attempt')
}

type Found = (ok: Finding['ok'], says: string, more?: Pick<Finding, 'digest' | 'preview'>) => Finding
type Recorded =
  | { readonly obstacle: string }
  | { readonly is: 'committed'; readonly canonical_args: string }
  | { readonly is: 'unrecorded'; readonly why: Problem }
  | { readonly is: 'lost' }

async function recordQuestion(deps: AskDeps, call: Call, { part, plan }: Question, tool_id: string): Promise<Recorded> {
  const tool = deps.catalogue.tool(tool_id)
  const obstacle = obstacleOf(tool)
  if (tool === undefined || obstacle !== undefined) return { obstacle: obstacle ?? 'no such tool' }
  const { pauses, expects } = await readPauses(deps, { ...call, tool_id }, scopesFor(part))
  if (pauses === 'unknown') return { obstacle: 'it could not be checked whether it is paused' }
  if (pauses.length > 0) return { obstacle: 'it is paused' }
  const canonical = canonicalJson(plan.args)
  const { definition, hash } = inForce(tool.row)
  if (!canonical.ok || !(await deps.judgement.scanner.validate(definition.inputSchema, hash, plan.args)).ok)
    return { obstacle: 'the declared arguments do not match its schema' }
  const forbidden = await problemOfFilled(deps, call, tool, canonical.value, part === 'verify')
  if (forbidden !== undefined) return { obstacle: `it was not asked: ${forbidden}` }
  const about = { asked: tool_id, asked_args_hash: deps.digest(canonical.value) }
  const entry = auditOf(`call.${part}_started`, call, deps.clock(), { about })
  const changes: readonly Change[] = [...expects, ...expectTool(tool), { kind: 'audit', entry }]
  const recorded = await deps.ledger.commit(changes)
  if (recorded === 'committed') return { is: 'committed', canonical_args: canonical.value }
  return lostAt(recorded) !== undefined ? { is: 'lost' } : { is: 'unrecorded', why: whyUnrecorded(recorded) }
}

async function sendQuestion(
  deps: AskDeps,
  call: Call,
  { part, attempt, plan }: Question,
  canonical_args: string,
  found: Found,
): Promise<Finding> {
  deps.probe(`${part}.before`)
  const answer = await deps.servers.call({
    server: call.server,
    tool: plan.tool,
    canonical_args,
    idempotency_key: `${call.call_id}/${part}/${attempt}`,
    user: call.caller.user,
    trace: call.trace,
  })
  if (answer.is === 'rejected') return found('unknown', 'it refused the question')
  if (answer.is !== 'answered') return found('unknown', `it could not be asked [${answer.problem.code}]`)
  const { ok, says } = judgeAnswer(plan, answer.result)
  return found(ok, says, traceOf(deps, answer.result))
}

/** Why a tool cannot be asked. Its effects are configured, so only a reload can have changed them. */
function obstacleOf(tool: Tool | undefined): string | undefined {
  if (tool === undefined || tool.row.gone_at !== undefined) return 'its server does not offer it'
  if (!tool.effects.every((effect) => effect === 'read')) return 'it does more than read'
  if (tool.row.admitted?.hash !== tool.row.definition_hash) return 'its definition is not the admitted one'
  return undefined
}

/** A pause of a caller stops its checks, but not the gate's own question about what that caller has done. */
const scopesFor =
  (part: Question['part']) =>
  (scope: PauseScope): boolean =>
    part === 'check' || !scope.startsWith('caller:')

function traceOf(deps: AskDeps, result: ToolResult): Pick<Finding, 'digest' | 'preview'> {
  const text = outputText(result)
  return { digest: deps.digest(text), preview: text.slice(0, PREVIEW) }
}
