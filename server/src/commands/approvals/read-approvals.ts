import type { ApprovalPacket, ApprovalRow, ApprovalState } from '../../contract/approval.ts'
import type { ByRun } from '../../contract/call.ts'
import { DECIDING_KINDS, type Caller } from '../../contract/caller.ts'
import type { CallRow } from '../../contract/call.ts'
import type { Json } from '../../contract/json.ts'
import { Bug, ok, refuse, type Result } from '../../contract/problems.ts'
import { inForce } from '../../contract/tool.ts'
import type { Opinion } from '../../contract/verdict.ts'
import { shortened, visibleText } from '../../contract/visible-text.ts'
import { atLeastStrong } from '../../core/approvals/hidden-places.ts'
import { reviewDefinition } from '../../core/catalogue/review-definition.ts'
import { describeStandard } from '../../core/gate/standard/describe-standard.ts'
import { canonicalJson } from '../../core/json/canonical.ts'
import { grantedTools } from '../../core/identity/granted-tools.ts'
import type { Judgement } from '../calls/facts/load-judgement.ts'
import type { Page, Shelves } from '../ports/reads.ts'
import { siblingsOf, type SiblingDeps } from '../calls/siblings-of.ts'
import { showRequest } from './show-request.ts'

export type ApprovalReadDeps = SiblingDeps & {
  readonly shelves: Shelves
  readonly judgement: Pick<Judgement, 'scanner'>
}

/** Approvers see every request, people those made in their name. For an agent there is nothing here. */
export function maySeeApproval(caller: Caller, row: Pick<ApprovalRow, 'caller' | 'tool_id'>): boolean {
  if (DECIDING_KINDS.includes(caller.kind)) return true
  return caller.kind === 'user' && row.caller.user === caller.user && grantedTools(caller)(row.tool_id)
}

export type InboxPage = { readonly items: readonly ApprovalPacket[]; readonly next?: number }

export async function listApprovals(
  deps: ApprovalReadDeps,
  caller: Caller,
  state: ApprovalState | undefined,
  page: Page,
): Promise<InboxPage> {
  const held = await deps.shelves.list('approvals', state === undefined ? {} : { state }, page)
  const last = held.length === page.limit ? held.at(-1) : undefined
  const seen = held.filter(({ row }) => maySeeApproval(caller, row))
  const items = await Promise.all(seen.map(({ row }) => packetOf(deps, row)))
  return { items, ...(last === undefined ? {} : { next: last.cursor }) }
}

export async function readApproval(
  deps: ApprovalReadDeps,
  caller: Caller,
  approval_id: string,
): Promise<Result<ApprovalPacket>> {
  const held = await deps.shelves.row('approvals', approval_id)
  if (held === undefined || !maySeeApproval(caller, held.row)) return refuse('approval.unknown', { approval_id })
  return ok({ ...(await packetOf(deps, held.row)), ...definitionIn(deps, caller, held.row) })
}

export type UnknownPage = { readonly items: readonly CallRow[]; readonly next?: number }

/** Calls whose outcome nobody knows, for the same people who decide approvals. */
export async function listUnknown(
  deps: Pick<ApprovalReadDeps, 'shelves' | 'judgement'>,
  caller: Caller,
  page: Page,
): Promise<Result<UnknownPage>> {
  if (!DECIDING_KINDS.includes(caller.kind)) return refuse('auth.forbidden', { needs: DECIDING_KINDS.join(', ') })
  const held = await deps.shelves.list('calls', { state: 'unknown' }, page)
  const shown = async (row: CallRow): Promise<CallRow> => {
    const { args } = await deps.judgement.scanner.shownArgs(row.canonical_args)
    return { ...row, canonical_args: visibleText(args) }
  }
  const last = held.length === page.limit ? held.at(-1) : undefined
  const items = await Promise.all(held.filter(({ row }) => isUnsettled(row)).map(({ row }) => shown(row)))
  return ok({ items, ...(last === undefined ? {} : { next: last.cursor }) })
}

const isUnsettled = (row: CallRow) => row.settled === undefined

/** Texts that nobody has admitted are for those who decide, never for the caller's own side. */
function definitionIn(
  { catalogue }: Pick<ApprovalReadDeps, 'catalogue'>,
  caller: Caller,
  { tool_id }: ApprovalRow,
): Pick<ApprovalPacket, 'definition'> {
  const row = catalogue.tool(tool_id)?.row
  if (row === undefined || row.admitted?.hash === row.definition_hash || !DECIDING_KINDS.includes(caller.kind))
    return {}
  return { definition: reviewDefinition(row) }
}

/** What a person needs to understand a request in five seconds. */
export async function packetOf(deps: ApprovalReadDeps, row: ApprovalRow): Promise<ApprovalPacket> {
  const tool = deps.catalogue.tool(row.tool_id)
  // Rows of this release hold what approvers see; only those of earlier ones are searched when they are read.
  const { args, edited_from, hidden: places } = row.shown ?? (await showRequest(deps, row))
  // What a preview hid is kept only while the request is pending.
  const hidden = row.preview_raw === undefined ? places.filter((place) => place.in !== 'preview') : places
  const sources = tool?.rollback === undefined ? {} : { args: JSON.parse(visibleText(args)) as Json }
  const siblings = siblingsOf(deps, tool?.row.server ?? '')
  const evidence = row.evidence.map(shownOpinion)
  const asking = evidence.filter((opinion) => opinion.effect !== 'allow')
  const definition = tool && inForce(tool.row).definition
  const required = definition?.inputSchema['required']
  const standard = describeStandard(tool, siblings, sources)
  const shownPacket = {
    approval_id: row.approval_id,
    call_id: row.call_id,
    skill_id: row.tool_id,
    title: shortened(visibleText(tool?.title ?? definition?.title ?? row.tool_id), LONGEST_TITLE),
    why_this: asking.map((opinion) => opinion.says).join('; '),
    required_inputs: Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [],
    // The same JSON with its unseen characters as escapes.
    proposed_args: visibleText(args),
    ...(edited_from === undefined ? {} : { edited_from: visibleText(edited_from) }),
    risk_notes: evidence,
    ...(row.preview === undefined ? {} : { preview: row.preview }),
    rollback: visibleText(standard.rollback),
    check: visibleText(standard.check),
    verify: visibleText(standard.verify),
    missing: standard.missing,
    asked_by: row.caller,
    thread: row.thread,
    ...(row.by_run === undefined ? {} : { by_run: shownRun(row.by_run) }),
    strength: hidden.length === 0 ? row.strength : atLeastStrong(row.strength),
    created_at: row.created_at,
    expires_at: row.expires_at,
    choices: ['Approve & Execute', 'Edit Inputs', 'Cancel'],
    hidden,
  } as const
  // Whose word was heard already is no part of what is decided: two people may speak at the same moment.
  const { state, decisions } = row
  return {
    ...shownPacket,
    state,
    decisions,
    digest: digestOf(deps, row, { ...shownPacket, definition_listed: tool?.row.definition_hash }),
  }
}

const LONGEST_TITLE = 256

/** The names of steps and lanes may be a document's own. */
const shownRun = ({ run_id, kind, step, lane }: ByRun): NonNullable<ApprovalPacket['by_run']> => ({
  run_id,
  kind,
  step: shortened(visibleText(step), LONGEST_TITLE),
  lane: lane === null ? null : shortened(visibleText(lane), LONGEST_TITLE),
})

/** Evidence of an earlier release may hold names as they came. */
const shownOpinion = (opinion: Opinion): Opinion => ({
  ...opinion,
  rule: visibleText(opinion.rule),
  says: visibleText(opinion.says),
  source: visibleText(opinion.source),
})

function digestOf({ digest }: ApprovalReadDeps, { args_hash, definition_hash }: ApprovalRow, shown: object): string {
  // As JSON, because an absent field and an undefined one are the same packet.
  const text = canonicalJson(JSON.parse(JSON.stringify({ args_hash, definition_hash, ...shown })) as Json)
  if (!text.ok) throw new Bug('a packet has a canonical form')
  return digest(text.value)
}
