import type { CallRow, Outcome } from '../../kernel/contract/call.ts'
import type { Caller } from '../../kernel/contract/caller.ts'
import { OTHER_TOOL, type HookClient } from '../../kernel/contract/hook-clients.ts'
import type { Json } from '../../kernel/contract/json.ts'
import type { JudgementAnswer } from './judgement-answers.ts'
import { specOf, type Problem } from '../../kernel/contract/problems.ts'
import type { Opinion } from '../../kernel/contract/verdict.ts'
import { visibleText } from '../../kernel/contract/visible-text.ts'
import type { Dispatch } from '../../kernel/ports/observers.ts'
import type { ClaimDeps } from '../../kernel/attempt/earlier-call.ts'
import type { WaitDeps } from '../../kernel/attempt/read-call.ts'
import type { Config } from '../../kernel/contract/config.ts'

/** A tool that a coding agent is about to use. */
export type ToolUse = {
  readonly caller: Caller
  readonly client: HookClient
  readonly tool: string
  readonly args: Json
  readonly thread: string
  readonly trace?: string
  /** The MCP server whose tool it is, if the client says so. */
  readonly server?: string | undefined
  /** The folder that the client works in, and that of its project. */
  readonly folders?: readonly string[]
}

/** Whether a tool is one of the gate's own MCP server in a client. */
export type OwnServer = (place: ToolPlace) => Promise<boolean>
export type ToolPlace = Pick<ToolUse, 'client' | 'tool' | 'server' | 'folders'>

export type JudgeUsePorts = WaitDeps &
  ClaimDeps & {
    readonly dispatch: Dispatch
    readonly catalogue: { tool(tool_id: string): unknown }
    readonly judgement: { readonly servers: Config['servers'] }
    readonly ownServer: OwnServer
  }

/** The server of a client's built-in tools, whatever name the operator gave it. */
export function serverOf(servers: Config['servers'], client: HookClient): string | undefined {
  return Object.entries(servers).find(([, settings]) => settings.client === client)?.[0]
}

/** The tool in the catalogue, and the arguments it is judged with. */
export function namedUse(deps: Pick<JudgeUsePorts, 'catalogue'>, server: string, { tool, args }: ToolUse) {
  const tool_id = `${server}__${tool}`
  return deps.catalogue.tool(tool_id) !== undefined && tool !== OTHER_TOOL
    ? { tool: tool_id, args }
    : { tool: `${server}__${OTHER_TOOL}`, args: { tool, input: args } }
}

/** INVARIANT: the gate never runs it. Waits at most `wait_ms` for a person; a later approval is used by the next equal call. */
export async function judgeToolUse(deps: JudgeUsePorts, use: ToolUse, wait_ms: number): Promise<JudgementAnswer> {
  const server = serverOf(deps.judgement.servers, use.client)
  if (server === undefined)
    return blocked(`no server with \`client: ${use.client}\` is configured; run \`sluice init --write --hooks\``)
  // Judged and recorded when it arrives at the gate's own door; asked about here as well, a person would decide twice.
  if (await deps.ownServer(use)) return { decision: 'allow' }
  const { caller, thread, trace } = use
  const request = {
    caller,
    thread,
    executor: 'client',
    ...namedUse(deps, server, use),
    ...(trace === undefined ? {} : { trace }),
  } as const
  const first = await deps.dispatch(request)
  if (first.status !== 'pending') return answerOf(first)
  const row = (await deps.tables.row('calls', first.call_id))?.row
  if (row === undefined || wait_ms <= 0) return answerOf(first)
  await decided(deps, row, wait_ms)
  // The same request again: it uses an approval that was given, or finds the request that is still waiting.
  const later = (await deps.tables.row('calls', first.call_id))?.row
  if (later !== undefined && later.state === 'pending' && (await isUndecided(deps, later))) return answerOf(first)
  if (later?.state === 'refused') return answerOf(refusalOf(later))
  const again = await deps.claim(first.call_id)
  return again === 'later' || again === 'taken' ? answerOf(first) : answerOf(again, true)
}

const refusalOf = (row: CallRow): Outcome => ({
  status: 'refused',
  call_id: row.call_id,
  problem: row.problem ?? { code: 'call.blocked', about: {} },
  evidence: row.verdict.evidence,
})

async function isUndecided({ tables }: JudgeUsePorts, { approval_id }: CallRow): Promise<boolean> {
  return approval_id !== undefined && (await tables.row('approvals', approval_id))?.row.state === 'pending'
}

/** Resolves when somebody has decided about a held call, when the wait is over, or when the gate stops. */
function decided(deps: JudgeUsePorts, { approval_id = 'auth_', call_id }: CallRow, wait_ms: number): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      for (const stop of stops) stop()
      deps.stopping.removeEventListener('abort', finish)
      resolve()
    }
    const look = () =>
      void deps.tables
        .row('approvals', approval_id)
        .then((held) => (held?.row.state === 'pending' ? undefined : finish()), finish)
    const stops = [
      deps.watch.onRow('approvals', approval_id, look),
      deps.watch.onRow('calls', call_id, look),
      deps.after(wait_ms, finish),
    ]
    if (deps.stopping.aborted) return finish()
    deps.stopping.addEventListener('abort', finish)
    // It may have been decided before the listener was added.
    look()
  })
}

function blocked(reason: string): JudgementAnswer {
  return { decision: 'block', reason }
}

/** The outcome in a hook's three words, with a sentence for the model. */
export function answerOf(outcome: Outcome, approved = false): JudgementAnswer {
  switch (outcome.status) {
    case 'executing':
      return { decision: 'allow', call_id: outcome.call_id, ...(approved ? { approved: true } : {}) }
    case 'pending': {
      const { call_id, approval_id, url, hub, expires_at } = outcome
      const why = sentenceOf(outcome.evidence, 'ask')
      const where = hub === undefined ? `Pending at ${url}` : `The hub ${visibleText(hub)} decides; pending at ${url}`
      const reason = `held for approval (${why}). ${where}; once it is approved, make the same call again and it runs. Do not try to work around this.`
      return { decision: 'ask', reason, call_id, approval_id, url, ...(hub === undefined ? {} : { hub }), expires_at }
    }
    case 'refused':
    case 'failed': {
      const evidence = 'evidence' in outcome ? outcome.evidence : []
      const call = outcome.call_id === undefined ? {} : { call_id: outcome.call_id }
      return { decision: 'block', reason: refusal(outcome.problem, evidence), ...call }
    }
    default:
      return blocked('the outcome of this call is not known')
  }
}

function refusal(problem: Problem, evidence: readonly Opinion[]): string {
  const { code, about } = problem
  const { says } = specOf(problem)
  const more = about['reason'] ?? about['says'] ?? about['why'] ?? about['paths'] ?? sentenceOf(evidence, 'block')
  return more === '' ? `${says} (${code})` : `${says}: ${more} (${code})`
}

const sentenceOf = (evidence: readonly Opinion[], effect: Opinion['effect']) =>
  [...new Set(evidence.filter((opinion) => opinion.effect === effect).map(({ says }) => says))].slice(0, 3).join('; ')
