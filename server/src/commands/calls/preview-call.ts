import type { AuditDraft } from '../../contract/audit.ts'
import type { Call, CallRequest, ToolResult } from '../../contract/call.ts'
import { isJsonObject, type Json } from '../../contract/json.ts'
import { problem, type Problem } from '../../contract/problems.ts'
import type { Verdict } from '../../contract/verdict.ts'
import { canonicalJson } from '../../core/json/canonical.ts'
import { sendableArgs } from '../../core/json/split-inputs.ts'
import type { Clock, Ledger, ToolServers } from '../ports.ts'
import type { PreparedCall } from './prepare-call.ts'

export type PreviewDeps = { readonly servers: ToolServers; readonly ledger: Ledger; readonly clock: Clock }

export type Preview =
  | { readonly is: 'none' }
  | { readonly is: 'previewed'; readonly result: ToolResult }
  | { readonly is: 'stopped'; readonly problem: Problem; readonly result?: ToolResult }

const NONE: Preview = { is: 'none' }

/**
 * Step 5 of the corridor. A dry run reaches the tool server, so it happens only where the verdict allows the call,
 * or where the operator declared this dry run free of effects. A held call shows it to the approver.
 */
export function previewCall(
  deps: PreviewDeps,
  prepared: PreparedCall,
  verdict: Verdict,
  wanted: CallRequest['dry_run'],
): Preview | Promise<Preview> {
  if (verdict.effect === 'block') return wanted === 'only' ? stop('call.blocked') : NONE
  const dryRun = prepared.tool.dry_run
  if (dryRun === undefined) return wanted === undefined ? NONE : stop('call.no_dry_run')
  const mayRun = dryRun.effect_free || verdict.effect === 'allow'
  if (!mayRun) return wanted === undefined ? NONE : stop('call.no_dry_run')
  if (wanted === undefined && verdict.effect === 'allow') return NONE
  return dryRunOf(deps, prepared, dryRun.tool ?? prepared.tool.row.definition.name, dryRun.args ?? {})
}

async function dryRunOf(deps: PreviewDeps, { call }: PreparedCall, tool: string, extra: Json): Promise<Preview> {
  // A dry run asks nothing, so it is told no answers.
  const args: Json = JSON.parse(sendableArgs(call.canonical_args).canonical_args)
  const merged = canonicalJson({ ...(isJsonObject(args) ? args : {}), ...(isJsonObject(extra) ? extra : {}) })
  if (!merged.ok) return { is: 'stopped', problem: merged.problem }
  const recorded = await deps.ledger.commit([{ kind: 'audit', entry: previewed(deps, call) }])
  if (recorded !== 'committed') return stop('audit.unavailable')
  const answer = await deps.servers.call({
    server: call.server,
    tool,
    canonical_args: merged.value,
    idempotency_key: `${call.call_id}/dry-run`,
    trace: call.trace,
  })
  if (answer.is !== 'answered') return stop('call.dry_run_failed')
  if (answer.result.isError === true) return { ...stop('call.dry_run_failed'), result: answer.result }
  return { is: 'previewed', result: answer.result }
}

function previewed(deps: PreviewDeps, call: Call): AuditDraft {
  const { call_id, tool_id, thread, trace, args_hash } = call
  const subject = { call: call_id, tool: tool_id, thread }
  return { at: deps.clock(), type: 'call.previewed', actor: call.caller.id, trace, subject, args_hash }
}

function stop(code: 'call.blocked' | 'call.no_dry_run' | 'call.dry_run_failed' | 'audit.unavailable') {
  return { is: 'stopped', problem: problem(code) } as const
}
