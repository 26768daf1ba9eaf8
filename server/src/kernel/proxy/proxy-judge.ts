import type { Call } from '../contract/call.ts'
import type { Caller } from '../contract/caller.ts'
import type { JsonObject } from '../contract/json.ts'
import { problem, type Problem } from '../contract/problems.ts'
import type { Tool } from '../contract/tool.ts'
import type { Verdict } from '../contract/verdict.ts'
import { toolIdOf } from '../catalogue/definition.ts'
import { decide } from '../decide/decide.ts'
import type { Policy } from '../policy/policy.ts'
import { grantedTools } from '../identity/granted-tools.ts'
import { canonicalJson } from '../json/canonical.ts'
import { auditOf, blockedProblem } from '../attempt/call-changes.ts'
import { recordQuestion } from '../attempt/ask-server.ts'
import { gatherSeen } from '../attempt/gather-facts.ts'
import { isJudgementCurrent, type JudgedCall } from '../attempt/judge-call.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { Digest, Ids } from '../ports/runtime.ts'
import { commitAndStop, stoppingChanges } from '../identity/quarantine.ts'
import { lostAt, whyUnrecorded } from '../changes/unrecorded.ts'
import type { FactsPorts } from '../decide/judging.ts'

export type JudgeReadPorts = FactsPorts & {
  readonly policy: () => Policy
  readonly ledger: Ledger
  readonly digest: Digest
  readonly ids: Ids
}

export type Read = {
  readonly caller: Caller
  readonly server: string
  readonly method: string
  readonly params: JsonObject
  readonly thread: string
  readonly trace: string
}

export type JudgedRead = Pick<JudgedCall, 'verdict' | 'policy_version' | 'seen'> & {
  readonly read: Read
  readonly call: Call
  readonly at: number
}

/**
 * Judges a read of something that is not a tool as if it were a read-only tool called `server__method`, with the params as its
 * arguments: a rule for `mail__*` applies to the server's resources too.
 */
export async function judgeRead(deps: JudgeReadPorts, read: Read): Promise<JudgedRead | Problem> {
  const canonical = canonicalJson(read.params)
  if (!canonical.ok) return canonical.problem
  const tool = readingTool(deps, read)
  if (!grantedTools(read.caller)(tool.row.tool_id)) return problem('read.unknown', { method: read.method })
  const call: Call = {
    call_id: deps.ids.call(),
    caller: read.caller,
    tool_id: tool.row.tool_id,
    server: read.server,
    definition_hash: tool.row.definition_hash,
    canonical_args: canonical.value,
    args_hash: deps.digest(canonical.value),
    thread: read.thread,
    trace: read.trace,
    received_at: deps.clock(),
  }
  const { facts, seen } = await gatherSeen(deps, call, tool, { integrity: 'intact' })
  const policy = deps.policy()
  // The other deciders judge a tool's definition, or calls and their cost.
  const deciders = deps.judgement.deciders.filter(({ judges_reads }) => judges_reads === true)
  const verdict = decide(policy, call, facts, deciders)
  return { read, call, verdict, policy_version: policy.version, seen, at: facts.now }
}

const TRIES = 8

/**
 * INVARIANT: a server is asked only after the read was allowed and recorded. An ask counts as a block. If a change was acknowledged since
 * the judgement (a pause, a revoked key, another policy), the read is judged again.
 */
export async function recordRead(deps: JudgeReadPorts, first: JudgedRead): Promise<Problem | 'recorded'> {
  let judged = first
  for (let tries = 0; tries < TRIES; tries += 1) {
    const recorded = await recordOnce(deps, judged)
    if (recorded !== 'overtaken') return recorded
    const again = await judgeRead(deps, judged.read)
    if (!('verdict' in again)) return again
    judged = again
  }
  return problem('audit.unavailable')
}

async function recordOnce(deps: JudgeReadPorts, judged: JudgedRead): Promise<Problem | 'recorded' | 'overtaken'> {
  const { call, verdict, at, seen } = judged
  if (verdict.effect === 'allow') {
    if (!isJudgementCurrent(deps, judged)) return 'overtaken'
    return recordQuestion(deps.ledger, seen.expects, auditOf('read.started', call, at, { verdict }))
  }
  const entry = auditOf('read.refused', call, at, { verdict, outcome: 'refused' })
  const stopping = () => stoppingChanges(deps, call, verdict, at)
  const recorded = await commitAndStop(deps.ledger, [{ kind: 'audit', entry }], stopping)
  if (lostAt(recorded) !== undefined) return 'overtaken'
  if (recorded !== 'committed') return whyUnrecorded(recorded)
  return verdict.effect === 'block' ? blockedProblem(verdict) : problem('read.needs_person', whoAsks(verdict))
}

function whoAsks({ evidence }: Verdict): Readonly<Record<string, string>> {
  const asking = evidence.filter(({ effect }) => effect === 'ask')
  return { rules: asking.map(({ rule }) => rule).join(', '), says: asking[0]?.says ?? '' }
}

function readingTool({ digest }: JudgeReadPorts, { server, method }: Read): Tool {
  return {
    row: {
      v: 1,
      tool_id: toolIdOf(server, method, digest),
      server,
      definition: { name: method, inputSchema: { type: 'object' } },
      definition_hash: digest(method),
      first_seen: 0,
      last_changed: 0,
    },
    effects: ['read'],
    effects_from: 'configured',
    risk: 'low',
    idempotent: true,
    tags: [],
  }
}
