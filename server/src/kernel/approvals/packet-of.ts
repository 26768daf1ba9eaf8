import type { ApprovalPacket, ApprovalRow, FoldableText, FromNode, ShownRequest } from '../contract/approval.ts'
import type { ByRun } from '../contract/call.ts'
import type { Json } from '../contract/json.ts'
import { Bug } from '../contract/problems.ts'
import { inForce } from '../contract/tool.ts'
import type { ValueSource } from '../sessions/value-source.ts'
import type { Opinion } from '../contract/verdict.ts'
import { shortened, visibleText } from '../contract/visible-text.ts'
import { atLeastStrong } from './hidden-places.ts'
import type { ApprovalRoutes } from './routes/routes.ts'
import { whoIsAsked } from './routes/seats.ts'
import { asCalled } from '../decide/as-called.ts'
import { describeStandard, couldUndoFor, siblingsOf, type SiblingDeps } from '../attempt/standard/rollback.ts'
import { canonicalJson } from '../json/canonical.ts'
import { foldableTexts } from './foldable-texts.ts'
import { factsInWords, riskInWords } from './packet-words.ts'
import { packetChanges } from './packet-changes.ts'
import { inSteps } from '../ports/in-steps.ts'
import type { MakeSentence } from '../ports/make-sentence.ts'
import type { Stored } from '../ports/reads.ts'
import type { YieldWhenDue } from '../ports/runtime.ts'
import { showRequest } from './show-request.ts'
import type { Judgement } from '../decide/judging.ts'

export type PacketPorts = SiblingDeps & {
  readonly judgement: Pick<Judgement, 'scanner' | 'commandOf'>
  readonly yieldWhenDue?: YieldWhenDue
  readonly routes: ApprovalRoutes
  readonly sentence: MakeSentence
}

/** What a person needs to understand a request in five seconds. */
export async function packetOf(
  deps: PacketPorts,
  { row, version }: Pick<Stored<'approvals'>, 'row' | 'version'>,
): Promise<ApprovalPacket> {
  if (row.from_node !== undefined) return nodePacketOf(deps, row, row.from_node, version)
  const listed = deps.catalogue.tool(row.tool_id)
  // For a shell command, use what this command does, not what the tool could do.
  const tool = listed && asCalled(deps.judgement, listed, row)
  const { args, edited_from, hidden: places } = await shownRequest(deps, row)
  // The hidden part of a preview is kept only while the request is pending.
  const hidden = row.preview_raw === undefined ? places.filter((place) => place.in !== 'preview') : places
  const shownArgs = JSON.parse(args) as Json
  const filling = tool?.rollback === undefined ? {} : { args: shownArgs }
  const sources = row.sources ?? []
  await deps.yieldWhenDue?.()
  const sentence = await inSteps(
    deps.yieldWhenDue,
    deps.sentence({
      tool_id: row.tool_id,
      tool,
      args: shownArgs,
      sources,
      ...(row.look_alikes === undefined ? {} : { look_alikes: row.look_alikes }),
    }),
  )
  await deps.yieldWhenDue?.()
  const siblings = siblingsOf(deps, tool?.row.server ?? '')
  const evidence = row.evidence.map(shownOpinion)
  const asking = evidence.filter((opinion) => opinion.effect !== 'allow')
  const definition = tool && inForce(tool.row).definition
  const required = definition?.inputSchema['required']
  const standard = describeStandard(tool, siblings, couldUndoFor(deps, row.caller), filling)
  const shownPacket = {
    approval_id: row.approval_id,
    call_id: row.call_id,
    skill_id: row.tool_id,
    title: shortened(visibleText(tool?.title ?? definition?.title ?? row.tool_id), LONGEST_TITLE),
    sentence,
    risk: riskInWords(tool, evidence),
    sources: sources.map(shownSource),
    changes: packetChanges({
      args: shownArgs,
      ...(edited_from === undefined ? {} : { edited_from: JSON.parse(edited_from) as Json }),
      ...(row.preview === undefined ? {} : { preview: row.preview }),
      acts: tool === undefined || tool.effects.some((effect) => effect !== 'read'),
    }),
    facts: factsInWords(tool, standard, evidence),
    why_this: asking.map((opinion) => opinion.says).join('; '),
    required_inputs: Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [],
    proposed_args: args,
    ...(edited_from === undefined ? {} : { edited_from }),
    ...(row.retries === undefined ? {} : { retries: row.retries }),
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
  return { ...shownPacket, ...answersTo(deps, row, shownPacket, version, tool?.row.definition_hash) }
}

/**
 * The decisions so far, the digest of what is shown, and what of it may be folded. Decisions are not part of the digest: two people may decide at the same
 * time.
 */
function answersTo(
  deps: PacketPorts,
  row: ApprovalRow,
  shownPacket: Pick<ApprovalPacket, 'strength' | 'proposed_args' | 'edited_from' | 'sentence'>,
  version: number,
  definition_listed: string | undefined,
): Pick<ApprovalPacket, 'asked' | 'state' | 'decisions' | 'version' | 'digest' | 'foldable'> {
  const { state, decisions } = row
  return {
    asked: whoIsAsked({ ...row, strength: shownPacket.strength }, deps.routes.groups),
    state,
    decisions,
    version,
    digest: digestOf(deps, row, { ...shownPacket, definition_listed }),
    foldable: foldableIn(deps, row, shownPacket),
  }
}

/** Follows from the arguments and the sentence, so it is not part of the digest. An id names exactly one text in one place. */
const foldableIn = (
  { digest }: PacketPorts,
  { tool_id }: ApprovalRow,
  { proposed_args, sentence }: Pick<ApprovalPacket, 'proposed_args' | 'sentence'>,
): readonly FoldableText[] =>
  foldableTexts(JSON.parse(proposed_args) as Json, tool_id, sentence).map(({ at, text }) => ({
    id: digest(JSON.stringify([at, text])).slice(0, 16),
    at,
    length: text.length,
  }))

/** A call that waits at a node: its packet is the node's, and everything about the request is ours. */
function nodePacketOf(deps: PacketPorts, row: ApprovalRow, from_node: FromNode, version: number): ApprovalPacket {
  const { node: name, tool, approval_id, context, packet } = from_node
  const hidden = row.shown?.hidden ?? []
  const shownPacket = {
    ...packet,
    approval_id: row.approval_id,
    call_id: row.call_id,
    skill_id: row.tool_id,
    title: shortened(packet.title, LONGEST_TITLE),
    sources: row.sources ?? [],
    proposed_args: row.shown?.args ?? row.canonical_args,
    risk_notes: row.evidence,
    ...(row.preview === undefined ? {} : { preview: row.preview }),
    asked_by: row.caller,
    thread: row.thread,
    node: { name, tool, approval_id, context },
    strength: hidden.length === 0 ? row.strength : atLeastStrong(row.strength),
    created_at: row.created_at,
    expires_at: row.expires_at,
    choices: ['Approve & Execute', 'Edit Inputs', 'Cancel'],
    hidden,
  } as const
  return { ...shownPacket, ...answersTo(deps, row, shownPacket, version, from_node.packet_digest) }
}

/** Rows of this release contain what approvers see; those of earlier ones are searched or escaped when they are read. */
async function shownRequest(deps: PacketPorts, row: ApprovalRow): Promise<ShownRequest> {
  const { shown } = row
  if (shown === undefined) return showRequest(deps, row)
  if (shown.visible === true) return shown
  const { visible } = deps.judgement.scanner
  const { args, edited_from } = shown
  return {
    ...shown,
    args: await visible(args),
    ...(edited_from === undefined ? {} : { edited_from: await visible(edited_from) }),
  }
}

const LONGEST_TITLE = 256

/** The names of steps and lanes may come from a document. */
const shownRun = ({ run_id, kind, step, lane }: ByRun): NonNullable<ApprovalPacket['by_run']> => ({
  run_id,
  kind,
  step: shortened(visibleText(step), LONGEST_TITLE),
  lane: lane === null ? null : shortened(visibleText(lane), LONGEST_TITLE),
})

const shownSource = (source: ValueSource): ValueSource => ({
  ...source,
  label: visibleText(source.label),
  ...(source.excerpt === undefined ? {} : { excerpt: visibleText(source.excerpt) }),
})

/** Evidence of an earlier release may contain names as received. */
const shownOpinion = (opinion: Opinion): Opinion => ({
  ...opinion,
  rule: visibleText(opinion.rule),
  says: visibleText(opinion.says),
  source: visibleText(opinion.source),
})

type Shown = Pick<ApprovalPacket, 'proposed_args' | 'edited_from'> & { readonly definition_listed: string | undefined }

function digestOf({ digest }: PacketPorts, { args_hash, definition_hash }: ApprovalRow, shown: Shown): string {
  // Long texts are included by their own digest, for speed.
  const { proposed_args, edited_from, ...rest } = shown
  const texts = { proposed_args: digest(proposed_args), edited_from: digest(edited_from ?? '') }
  // As JSON, because an absent field and an undefined one are the same packet.
  const text = canonicalJson(JSON.parse(JSON.stringify({ args_hash, definition_hash, ...rest, ...texts })) as Json)
  if (!text.ok) throw new Bug('a packet has a canonical form')
  return digest(text.value)
}
