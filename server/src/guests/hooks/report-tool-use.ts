import type { ToolResult } from '../../kernel/contract/call.ts'
import { refuse, ok, type Result } from '../../kernel/contract/problems.ts'
import { identityOf } from '../../kernel/attempt/call-changes.ts'
import { canonicalJson } from '../../kernel/json/canonical.ts'
import type { ExecuteCall } from '../../kernel/attempt/execute-call.ts'
import type { StoredVolume } from '../../kernel/attempt/stored-volume.ts'
import type { Digest, Ids, Clock } from '../../kernel/ports/runtime.ts'
import type { Ledger } from '../../kernel/ports/ledger.ts'
import { refuseUnrecorded } from '../../kernel/changes/unrecorded.ts'
import { textLabel } from '../../kernel/sessions/labels.ts'
import { namedUse, serverOf, type JudgeUseDeps, type ToolUse } from './judge-tool-use.ts'

export type ReportDeps = Pick<JudgeUseDeps, 'tables' | 'catalogue' | 'judgement' | 'ownServer'> & {
  readonly digest: Digest
  readonly execute: ExecuteCall
  readonly ledger: Ledger
  readonly ids: Ids
  readonly clock: Clock
  readonly volume: StoredVolume
}

export type Reported = { readonly output: string; readonly failed: boolean }

const MOST_EQUAL = 20

/**
 * A client reports the outcome of a call that it ran: redacted, labelled and recorded like the answer of a tool server. An outcome of a
 * call that the gate was not asked about still enters the session as foreign text.
 */
export async function reportToolUse(
  deps: ReportDeps,
  use: ToolUse,
  { output, failed }: Reported,
): Promise<Result<{ readonly recorded: boolean }>> {
  const server = serverOf(deps.judgement.servers, use.client)
  if (server === undefined) return refuse('tool.unknown', { tool: `${use.client}__${use.tool}` })
  // The gate has recorded it itself.
  if (deps.ownServer(use)) return ok({ recorded: false })
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
