import type { AuditDraft } from '../contract/audit.ts'
import type { Call } from '../contract/call.ts'
import type { PauseScope } from '../contract/pause.ts'
import type { Problem } from '../contract/problems.ts'
import type { Tool } from '../contract/tool.ts'
import { lostAt, whyUnrecorded } from '../changes/unrecorded.ts'
import type { FilledFacts } from '../decide/facts.ts'
import type { FilledPorts } from '../decide/judging.ts'
import type { Change, Ledger } from '../ports/ledger.ts'
import type { Tables } from '../ports/reads.ts'
import type { Clock, Probe } from '../ports/runtime.ts'
import type { ToolServers, ToolReply } from '../ports/upstream.ts'
import { expectTool, readPauses } from './facts/changeable-facts.ts'

export type AskServerDeps = FilledPorts & {
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
  | ToolReply
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

/**
 * Why arguments that the gate filled in itself are not sent; undefined if they may be. They may contain values from a tool
 * server's answer, which nobody has judged. Nobody can be asked about them, so what would be asked about is not sent either,
 * unless the arguments contain only what the call was judged with.
 */
async function problemOfFilled(
  deps: FilledPorts,
  call: Call,
  tool: Tool,
  canonical_args: string,
  holdsAnswers: boolean,
): Promise<string | undefined> {
  const filled: Call = { ...call, tool_id: tool.row.tool_id, canonical_args }
  const { facts, deciders } = deps.judgement
  const gathered = await Promise.all(
    facts.map(async ({ name, gatherFilled }) => ({ [name]: await gatherFilled?.(deps, filled, tool) })),
  )
  const known: FilledFacts = Object.assign({ now: deps.clock(), tool }, ...gathered)
  const opinions = deciders.flatMap((decider) => decider.judgeFilled?.(filled, known) ?? [])
  return opinions.find(({ effect }) => effect === 'block' || (holdsAnswers && effect === 'ask'))?.says
}
