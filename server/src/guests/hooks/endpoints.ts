import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'
import type { Ids, Digest, Clock } from '../../kernel/ports/runtime.ts'
import { recordUserWords, type RecordUserWordsPorts } from '../../kernel/sessions/record-user-words.ts'
import { CALLERS } from '../../adapters/http/access.ts'
import { endpoint, type Endpoint } from '../../adapters/http/endpoint.ts'
import { judgeToolUse, type JudgeUsePorts, namedUse, serverOf, type ToolUse } from './judge-tool-use.ts'
import {
  JudgementAnswer,
  JudgementBody,
  ToolOutcomeAnswer,
  ToolOutcomeBody,
  UserWordsAnswer,
  UserWordsBody,
} from './judgement-answers.ts'
import type { ToolResult } from '../../kernel/contract/call.ts'
import { identityOf } from '../../kernel/attempt/call-changes.ts'
import { canonicalJson } from '../../kernel/json/canonical.ts'
import type { ExecuteCall } from '../../kernel/attempt/execute-call.ts'
import type { StoredVolume } from '../../kernel/attempt/stored-volume.ts'
import type { Ledger } from '../../kernel/ports/ledger.ts'
import { refuseUnrecorded } from '../../kernel/changes/unrecorded.ts'
import { textLabel } from '../../kernel/sessions/labels.ts'

export type HookPorts = JudgeUsePorts & ReportPorts & RecordUserWordsPorts & { readonly ids: Ids }

/** Hooks of coding agents: calls about to run, their outcomes, and what the user said. */
export const endpoints = (k: HookPorts): readonly Endpoint[] => [
  endpoint({
    at: 'POST /v1/judgements',
    access: CALLERS,
    says: 'Judge and record a tool call that a coding agent runs itself; waits for a person up to wait_ms',
    keeps_keys: true,
    body: JudgementBody,
    answers: JudgementAnswer,
    run: async (caller, { body: { wait_ms, ...use }, trace }) =>
      ok(await judgeToolUse(k, { ...use, caller, trace }, wait_ms)),
  }),
  endpoint({
    at: 'POST /v1/judgements/outcomes',
    access: CALLERS,
    says: 'Report the outcome of a tool call that a coding agent ran itself',
    keeps_keys: true,
    body: ToolOutcomeBody,
    answers: ToolOutcomeAnswer,
    run: (caller, { body: { output, failed, ...use } }) => reportToolUse(k, { ...use, caller }, { output, failed }),
  }),
  endpoint({
    at: 'POST /v1/judgements/words',
    access: CALLERS,
    says: 'What the user typed to a coding agent',
    keeps_keys: true,
    body: UserWordsBody,
    answers: UserWordsAnswer,
    run(caller, { body: { thread, text }, local }) {
      // Only the owner of the data folder can open its socket, and a hook is started by the owner's own client.
      const speaker = local ? { ...caller, speaks_for_user: true as const } : caller
      return recordUserWords(k, { caller: speaker, thread, text, id: k.ids.call() })
    },
    shows: () => ({ heard: true }),
  }),
]

type ReportPorts = Pick<JudgeUsePorts, 'tables' | 'catalogue' | 'judgement' | 'ownServer'> & {
  readonly digest: Digest
  readonly execute: ExecuteCall
  readonly ledger: Ledger
  readonly ids: Ids
  readonly clock: Clock
  readonly volume: StoredVolume
}

type Reported = { readonly output: string; readonly failed: boolean }

const MOST_EQUAL = 20

/**
 * A client reports the outcome of a call that it ran: redacted, labelled and recorded like the answer of a tool server. An outcome of a
 * call that the gate was not asked about still enters the session as foreign text.
 */
export async function reportToolUse(
  deps: ReportPorts,
  use: ToolUse,
  { output, failed }: Reported,
): Promise<Result<{ readonly recorded: boolean }>> {
  const server = serverOf(deps.judgement.servers, use.client)
  if (server === undefined) return refuse('tool.unknown', { tool: `${use.client}__${use.tool}` })
  // The gate has recorded it itself.
  if (await deps.ownServer(use)) return ok({ recorded: false })
  const named = namedUse(deps, server, use)
  const canonical = canonicalJson(named.args)
  if (!canonical.ok) return canonical
  const identity = identityOf({ caller: use.caller, tool_id: named.tool, args_hash: deps.digest(canonical.value) })
  const equal = await deps.tables.list('calls', { identity }, { limit: MOST_EQUAL, newest_first: true })
  const started = equal.find(
    ({ row }) => row.state === 'executing' && row.executor === 'client' && row.thread === use.thread,
  )
  if (started === undefined) {
    const over = await deps.volume.over(use.caller)
    if (over !== undefined) return { ok: false, problem: over }
    deps.volume.add(use.caller, output)
    const source = { server, name: named.tool }
    const { caller, thread } = use
    const label = textLabel({
      id: deps.ids.call(),
      caller,
      thread,
      kind: 'log',
      source,
      text: output,
      at: deps.clock(),
    })
    const kept = label.length === 0 ? 'committed' : await deps.ledger.commit(label)
    return kept === 'committed' ? ok({ recorded: false }) : refuseUnrecorded(kept)
  }
  const reported: ToolResult = { content: [{ type: 'text', text: output }], ...(failed ? { isError: true } : {}) }
  await deps.execute({ row: started.row, version: started.version }, { reported })
  return ok({ recorded: true })
}
