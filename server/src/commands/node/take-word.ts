import type { ApprovalRow } from '../../contract/approval.ts'
import type { HubWord } from '../../contract/hub.ts'
import { problem, type Problem, type ProblemCode } from '../../contract/problems.ts'
import type { RunRow } from '../../contract/run.ts'
import { shortened, visibleText } from '../../contract/visible-text.ts'
import { decisionsOf, notForMessage, notForRequest } from '../../core/hub/check-word.ts'
import { hubReport, type HubReport } from '../../core/runs/hub-report.ts'
import { packetOf, type PacketDeps } from '../approvals/packet-of.ts'
import { auditOf } from '../calls/call-changes.ts'
import { approvalMoved, closeCall, heldCallOf } from '../calls/close-call.ts'
import type { AttachedHub } from '../ports/hub.ts'
import type { Change, Ledger } from '../ports/ledger.ts'
import type { Held, Tables } from '../ports/reads.ts'
import type { Clock, Digest, Ids, Probe } from '../ports/runtime.ts'
import { tellRun } from '../runs/run-changes.ts'

export type TakeWordDeps = PacketDeps & {
  readonly hub: AttachedHub | undefined
  readonly tables: Tables
  readonly ledger: Ledger
  readonly clock: Clock
  readonly digest: Digest
  readonly ids: Ids
  readonly probe: Probe
}

/** `taken`: it counted. `ignored`: nothing to do. `refused`: it did not count, and that is recorded. */
export type TakenWord = 'taken' | 'ignored' | 'refused'

/** How long after its request expires a decision's id is kept: by then the request is long closed. */
const KNOWN_MS = 86_400_000

/**
 * Processes the hub's decision about one of this node's messages.
 * INVARIANT: a decision changes nothing unless a pinned key signed it, for this node, this message and nonce, within its time.
 * INVARIANT: an approval is for exactly the call and the packet that wait here, and counts once: its id is spent in the commit of
 * the decision.
 */
export async function takeWord(deps: TakeWordDeps, text: string): Promise<TakenWord> {
  if (deps.hub === undefined) return 'ignored'
  const read = await deps.hub.pinned.read(text)
  if (read.is === 'forged') return refuseForged(deps, read.why, read.approval_id)
  const { word } = read
  const run = await shelvedReport(deps.tables, word.message)
  const now = deps.clock()
  const sent = run && { ...stateOf(run), message: run.run_id, node: deps.hub.node }
  const why = sent === undefined ? 'an unknown message' : notForMessage(word, sent, now)
  if (run === undefined || why !== undefined) return noteRefused(deps, why ?? 'an unknown message', word)
  if (word.says === 'reported') return confirm(deps, run, now)
  const held = await deps.tables.row('approvals', word.approval_id)
  if (held === undefined) return noteRefused(deps, 'an unknown request', word)
  if (word.says === 'received') return held.row.state === 'pending' ? confirm(deps, run, now) : 'ignored'
  if (held.row.state !== 'pending') return noteRefused(deps, 'the request is closed', word)
  return decide(deps, held, run, word, { digest: deps.digest(text), key: read.key })
}

const stateOf = (run: RunRow): HubReport => run.state as unknown as HubReport

async function shelvedReport(tables: Tables, run_id: string): Promise<RunRow | undefined> {
  const run = (await tables.row('runs', run_id))?.row
  return run?.kind === hubReport.kind ? run : undefined
}

async function confirm(deps: TakeWordDeps, run: RunRow, now: number): Promise<TakenWord> {
  if (stateOf(run).confirmed || run.ended_at !== undefined) return 'ignored'
  const recorded = await deps.ledger.commit(tellRun(run.run_id, { type: 'hub.confirmed', now }))
  return recorded === 'committed' ? 'taken' : 'ignored'
}

type Signed = { readonly digest: string; readonly key: string }

async function decide(
  deps: TakeWordDeps,
  held: Held<'approvals'>,
  run: RunRow,
  word: HubWord,
  signed: Signed,
): Promise<TakenWord> {
  const { row } = held
  const packet = await packetOf(deps, held)
  const waiting = {
    ...row,
    strength: packet.strength,
    packet_digest: packet.digest,
    run: row.by_run?.run_id ?? null,
  }
  const why = notForRequest(word, waiting)
  const now = deps.clock()
  if (why !== undefined && word.says === 'approve') return closeWith(deps, held, 'hub.mismatch', why, 'hub')
  const said = { hub_word: signed.digest, decisions: decisionsOf(word) }
  const once: Change = {
    kind: 'once',
    key: `hub ${deps.hub?.node ?? ''} ${word.jti}`,
    until: row.expires_at + KNOWN_MS,
  }
  const call = await heldCallOf(deps.tables, row)
  const about = citing(word, signed)
  const actor = word.decider ?? 'hub'
  const changes: Change[] = [once, ...tellRun(run.run_id, { type: 'hub.confirmed', now })]
  if (word.says === 'approve') {
    if (now >= row.expires_at) return 'ignored'
    const to: ApprovalRow = { ...withoutRaw(row), ...said, strength: packet.strength, state: 'approved' }
    changes.push(...approvalMoved(held, to, { type: 'approval.approved', approval_id: row.approval_id }), {
      kind: 'audit',
      entry: auditOf('approval.approved', call.row, now, { actor, about: { how: 'hub', ...about } }),
    })
  } else {
    const state = word.says === 'deny' ? 'denied' : 'expired'
    const to: ApprovalRow = { ...withoutRaw(row), ...said, state }
    const { approval_id } = row
    const reason = word.reason === undefined ? {} : { reason: visibleText(word.reason) }
    const why_closed = problem(`approval.${state}`, { approval_id, ...reason })
    const noted = { at: now, type: 'hub.decided', actor, trace: call.row.trace, subject: subjectOf(row), about }
    changes.push(...closeCall({ held, to }, call, why_closed, actor, now), { kind: 'audit', entry: noted })
  }
  deps.probe('decision.before')
  const recorded = await deps.ledger.commit(changes)
  deps.probe('decision.after')
  return recorded === 'committed' ? 'taken' : 'ignored'
}

/** The unredacted preview is deleted when there is nothing left to decide. */
const withoutRaw = ({ preview_raw: _, ...row }: ApprovalRow): ApprovalRow => row

const subjectOf = ({ approval_id, call_id }: ApprovalRow) => ({ approval: approval_id, call: call_id })

/** The ids under which the hub's own ledger has it. */
const citing = (
  { hub_approval_id, jti, says, decisions }: HubWord,
  { digest, key }: Signed,
): Record<string, string | number> => ({
  says,
  hub_approval: hub_approval_id,
  jti,
  word: digest,
  key,
  people: decisions.length,
})

async function refuseForged(deps: TakeWordDeps, why: string, approval_id: string | undefined): Promise<TakenWord> {
  const held = approval_id === undefined ? undefined : await deps.tables.row('approvals', approval_id)
  if (held?.row.state !== 'pending') return noteRefused(deps, why, { approval_id: approval_id ?? '' })
  return closeWith(deps, held, 'hub.untrusted', why, 'hub')
}

/** The request cannot be decided any more: its call is refused. */
export async function closeWith(
  deps: Pick<TakeWordDeps, 'tables' | 'ledger' | 'clock'>,
  held: Held<'approvals'>,
  code: ProblemCode & `hub.${string}`,
  why: string,
  actor: string,
): Promise<'refused' | 'ignored'> {
  const { row } = held
  const call = await heldCallOf(deps.tables, row)
  const told: Problem = problem(code, { approval_id: row.approval_id, why: shortened(visibleText(why), 200) })
  const to: ApprovalRow = { ...withoutRaw(row), state: 'withdrawn' }
  const recorded = await deps.ledger.commit(closeCall({ held, to }, call, told, actor, deps.clock()))
  return recorded === 'committed' ? 'refused' : 'ignored'
}

/** This may be an attack, so it is recorded. */
async function noteRefused(
  deps: TakeWordDeps,
  why: string,
  { approval_id, ...word }: Pick<HubWord, 'approval_id'> | { approval_id: string; says?: string },
): Promise<TakenWord> {
  const says = 'says' in word && typeof word.says === 'string' ? { says: word.says } : {}
  const subject = { approval: shortened(visibleText(approval_id), 64) }
  const entry = { at: deps.clock(), type: 'hub.word_refused', actor: 'hub', trace: deps.ids.trace(), subject }
  await deps.ledger.commit([{ kind: 'audit', entry: { ...entry, about: { why, ...says } } }])
  return 'refused'
}
