import type { ApprovalRow } from '../contract/approval.ts'
import type { AuditDraft } from '../contract/audit.ts'
import type { Call, CallRequest, ToolResult } from '../contract/call.ts'
import { isJsonObject, type Json } from '../contract/json.ts'
import { problem, type Problem } from '../contract/problems.ts'
import type { Tool } from '../contract/tool.ts'
import type { Verdict } from '../contract/verdict.ts'
import { toolIdOf } from '../catalogue/definition.ts'
import { canonicalJson } from '../json/canonical.ts'
import { sendableArgs } from '../json/split-inputs.ts'
import { splitSecrets } from '../json/split-secrets.ts'
import type { Catalogue } from '../ports/catalogue.ts'
import type { Change } from '../ports/ledger.ts'
import type { Digest } from '../ports/runtime.ts'
import type { JudgedCall } from './judge-call.ts'
import { askServer, type AskServerDeps } from './ask-server.ts'

export type PreviewDeps = AskServerDeps & { readonly catalogue: Catalogue; readonly digest: Digest }

/** `overtaken`: a pause, another definition or a revoked key was acknowledged before the dry run was sent, so judge again. */
export type Preview =
  | { readonly is: 'none' }
  | { readonly is: 'overtaken' }
  /** `raw`: before redaction, if redaction hid something. */
  | { readonly is: 'previewed'; readonly result: ToolResult; readonly raw?: ToolResult }
  | { readonly is: 'stopped'; readonly problem: Problem; readonly result?: ToolResult }

const NONE: Preview = { is: 'none' }

/** Who wants a dry run: the caller, as a first step or as the only step, or a rule of the policy. */
export type WantedPreview = CallRequest['dry_run'] | 'by_rule'

/** What the caller requested, otherwise what a rule requires. In observe mode, rules do not count. */
export function previewWanted({ effect, evidence, observed }: Verdict, asked: CallRequest['dry_run']): WantedPreview {
  const byRule = effect !== 'block' && observed === undefined && evidence.some(({ preview }) => preview === true)
  return asked ?? (byRule ? 'by_rule' : undefined)
}

/**
 * Step 5 of the corridor. A dry run reaches the tool server, so it happens only if the verdict allows the call, or if the
 * operator declared this dry run free of effects. A held call shows it to the approver.
 */
export function previewCall(
  deps: PreviewDeps,
  call: Call,
  own: Tool,
  judged: Pick<JudgedCall, 'verdict' | 'facts' | 'seen'>,
  wanted: WantedPreview,
): Preview | Promise<Preview> {
  const { effect } = judged.verdict
  if (effect === 'block') return wanted === 'only' ? stop('call.blocked') : NONE
  const dryRun = own.dry_run
  const none = wanted === 'first' || wanted === 'only' ? stop('call.no_dry_run') : NONE
  if (dryRun === undefined) return none
  const tool = dryRunTool(deps, call, own)
  const mayRun = (dryRun.effect_free && isUndisturbed(judged, tool)) || effect === 'allow'
  if (!mayRun || tool === undefined) return none
  if (wanted === undefined && effect === 'allow') return NONE
  return dryRunOf(deps, call, tool, dryRun.args ?? {}, judged.seen.expects)
}

/** The tool that is asked: the call's own, or another one that its server lists now. */
function dryRunTool({ catalogue, digest }: PreviewDeps, call: Call, tool: Tool): Tool | undefined {
  const name = tool.dry_run?.tool
  if (name === undefined) return tool
  const sibling = catalogue.tool(toolIdOf(call.server, name, digest))
  return sibling?.row.gone_at === undefined && sibling?.row.admitted?.hash === sibling?.row.definition_hash
    ? sibling
    : undefined
}

/** The operator's declaration that it is free of effects applies to the admitted tool. A pause that asks also stops dry runs. */
function isUndisturbed({ facts }: Pick<JudgedCall, 'facts'>, tool: Tool | undefined): boolean {
  return (
    facts.pauses !== 'unknown' && facts.pauses.length === 0 && tool?.row.admitted?.hash === tool?.row.definition_hash
  )
}

async function dryRunOf(
  deps: PreviewDeps,
  call: Call,
  tool: Tool,
  extra: Json,
  expects: readonly Change[],
): Promise<Preview> {
  // A dry run cannot ask questions, so it is sent without answers to any.
  const split = splitSecrets(JSON.parse(sendableArgs(call.canonical_args).canonical_args) as Json)
  if (!split.ok) return { is: 'stopped', problem: split.problem }
  // Secrets are only for the call itself: a dry run gets their placeholders.
  const { args } = split.value
  const merged = canonicalJson({ ...(isJsonObject(args) ? args : {}), ...(isJsonObject(extra) ? extra : {}) })
  if (!merged.ok) return { is: 'stopped', problem: merged.problem }
  const asked = { part: 'dry-run', key: 'dry-run', canonical_args: merged.value } as const
  const reply = await askServer(deps, { ...asked, call, tool, expects, entry: (at) => previewed(call, at) })
  if (reply.is === 'overtaken') return reply
  if (reply.is === 'unrecorded') return { is: 'stopped', problem: reply.problem }
  if (reply.is !== 'answered') return stop('call.dry_run_failed')
  if (reply.result.isError === true) return { ...stop('call.dry_run_failed'), result: reply.result }
  return { is: 'previewed', result: reply.result, ...(await rawOf(deps, reply.unredacted)) }
}

async function rawOf({ judgement: { scanner } }: PreviewDeps, unredacted: ToolResult | undefined) {
  if (unredacted === undefined) return {}
  return (await scanner.hiddenInPreview(unredacted)).length === 0 ? {} : { raw: unredacted }
}

function previewed(call: Call, at: number): AuditDraft {
  const { call_id, tool_id, thread, trace, args_hash } = call
  const subject = { call: call_id, tool: tool_id, thread }
  return { at, type: 'call.previewed', actor: call.caller.id, trace, subject, args_hash }
}

function stop(code: 'call.blocked' | 'call.no_dry_run' | 'call.dry_run_failed') {
  return { is: 'stopped', problem: problem(code) } as const
}

/** The answer of a dry run, for the request that shows it. */
export function previewIn(preview: Preview): Pick<ApprovalRow, 'preview' | 'preview_raw'> {
  if (preview.is !== 'previewed') return {}
  const { result, raw } = preview
  return { preview: result, ...(raw === undefined ? {} : { preview_raw: raw }) }
}
