import type { Call, CallRequest, CallRow, Outcome, ToolResult } from '../contract/call.ts'
import { Bug, problem, type Problem } from '../contract/problems.ts'
import type { Tool } from '../contract/tool.ts'
import { consentNamed } from '../consents/cover-with-consent.ts'
import { isInDoubt, isUnrecorded, whyUnrecorded } from '../changes/unrecorded.ts'
import { commitAndStop } from '../identity/quarantine.ts'
import type { Catalogue } from '../ports/catalogue.ts'
import type { LiveCatalogue } from '../catalogue/catalogue.ts'
import type { Change, InDoubt, Version, CommitId } from '../ports/ledger.ts'
import type { MaybePromise, Probe } from '../ports/runtime.ts'
import type { CallListeners } from '../ports/upstream.ts'
import { textLabel } from '../sessions/labels.ts'
import { checkCall, UNCHECKED, type Checked } from './standard/check-call.ts'
import { type CommitPlan, auditOf } from './call-changes.ts'
import { describeCall, refused, type Links } from './describe-call.ts'
import type { ExecuteCall, StartedCall } from './execute-call.ts'
import { isCallCurrent, type JudgedCall, type JudgeDeps } from './judge-call.ts'
import { previewCall, previewWanted, type Preview, type PreviewDeps } from './preview-call.ts'
import type { AskDeps } from './standard/read-back.ts'
import type { StoredVolume } from './stored-volume.ts'
import { endApproval, type EndPorts } from '../approvals/end-approval.ts'
import type { Doubts } from '../changes/resolve-doubts.ts'

export type Attempting = JudgeDeps &
  AskDeps &
  PreviewDeps &
  EndUnsentDeps & {
    readonly catalogue: Catalogue & Pick<LiveCatalogue, 'refresh'>
    readonly execute: ExecuteCall
    readonly links: Links
    readonly probe: Probe
    readonly volume: StoredVolume
  }

/**
 * The only way to a tool, for a new call and for one that a person has decided: judge it with fresh facts, make its dry run and its check,
 * record it, and only then execute it. What is recorded may be a start, a request to a person, or why it does not run.
 *
 * If the commit is lost because something changed in between (the last units were taken, the tool was paused or changed, the key was
 * revoked), the call is judged again. Most steps know their result at once, so they are awaited only if they return a promise.
 */
export async function attempt<K extends Attempting, W, C extends Case, E>(
  deps: K,
  role: AttemptRole<K, W, C, E>,
  work: W,
  listeners?: CallListeners,
): Promise<Outcome | E> {
  let one: C | undefined
  let shown: Preview = NOT_SHOWN
  for (let round = 1; round <= role.rounds; round += 1) {
    const loading = role.load(deps, work, round, one)
    const loaded = loading instanceof Promise ? await loading : loading
    if ('ending' in loaded) return loaded.ending
    one = loaded
    const judging = role.judge(deps, one)
    const judged = judging instanceof Promise ? await judging : judging
    const showing = preview(deps, one, judged, shown)
    shown = showing instanceof Promise ? await showing : showing
    if (shown.is === 'overtaken') {
      await deps.catalogue.refresh(one.call.server)
      continue
    }
    if (one.dry_run === 'only' && shown.is === 'previewed') return onlyPreviewed(deps, one, judged, shown.result)
    const checking = check(deps, one, judged, shown, round)
    const checked = checking instanceof Promise ? await checking : checking
    const recorded = await record(deps, role, one, { judged, shown, checked }, listeners)
    if (recorded === 'again') continue
    return 'ending' in recorded ? recorded.ending : deps.execute(recorded, listeners)
  }
  return role.giveUp(problem('call.contended'))
}

/** What differs between a new call and a decided one. `E`: how it can end besides with an outcome. */
export type AttemptRole<K, W, C extends Case, E> = {
  readonly rounds: number
  /** The call as it is now, or how it has ended already. `before`: the case of the last round. */
  load(deps: K, work: W, round: number, before: C | undefined): MaybePromise<C | Ended<E>>
  judge(deps: K, one: C): MaybePromise<Judged>
  /** Whether there is another ending than that the call is stopped. */
  stopped(deps: K, one: C, why: Problem): MaybePromise<Ended<E> | undefined>
  /** What is recorded: the call's row, all related changes, its audit entry. Known at once for a start. */
  plan(deps: K, one: C, found: FoundFacts, listeners: CallListeners | undefined): MaybePromise<CallPlan | Ended<E>>
  /** Another request or process was first. */
  taken(deps: K, one: C): MaybePromise<Ended<E> | 'again'>
  /** The row that ends a call that is not sent, because its record stayed in doubt. */
  unsent(one: C, plan: CallPlan, why: Problem, now: number): CallRow
  giveUp(why: Problem): Outcome | E
}

export type Ended<E> = { readonly ending: Outcome | E }

export type Case = {
  readonly call: Call
  /** Absent if its server no longer offers it. */
  readonly tool: Tool | undefined
  /** How often the call was started before. */
  readonly starts: number
  /** What the caller wants. Otherwise a rule may require a dry run, unless it was made before the call was held. */
  readonly dry_run: CallRequest['dry_run'] | 'made'
}

/** A judged call, or why a decided one no longer runs; that may be known without a judgement. */
export type Judged = JudgedCall | { readonly refusal: Problem; readonly judged?: JudgedCall }

/** Everything that was found out about a case before it is recorded. */
export type FoundFacts = { readonly judged: Judged; readonly shown: Preview; readonly checked: Checked }

export type CallPlan = CommitPlan & {
  readonly row: CallRow
  /** Of the row, once it is stored. */
  readonly version: Version
  readonly unsynced?: boolean
  /** For a call that does not start: what stops its caller, if a trap was triggered. */
  readonly stopping?: () => MaybePromise<readonly Change[]>
  /** What counts towards the volume that the caller stores. */
  readonly stores?: readonly string[]
}

const NOT_SHOWN: Preview = { is: 'none' }

/** One dry run is kept over the rounds, because it may reach the tool server. */
function preview(deps: Attempting, one: Case, judged: Judged, shown: Preview): MaybePromise<Preview> {
  if (shown.is === 'previewed') return shown
  const { call, tool, dry_run } = one
  if (tool === undefined || dry_run === 'made' || 'refusal' in judged) return NOT_SHOWN
  const wanted = previewWanted(judged.verdict, dry_run)
  // A dry run spends nothing, so no consent covers one: it gets the same answer as a held call.
  const isByConsent = wanted !== undefined && consentNamed(judged.verdict) !== undefined
  const verdict = isByConsent ? { ...judged.verdict, effect: 'ask' as const } : judged.verdict
  return previewCall(deps, call, tool, isByConsent ? { ...judged, verdict } : judged, wanted)
}

/** Only a call that may run is checked, because the check calls the tool server. */
function check(deps: Attempting, one: Case, judged: Judged, shown: Preview, round: number): MaybePromise<Checked> {
  if (shown.is === 'stopped') return { ...shown, ready: { parts: {} } }
  if ('refusal' in judged) return { is: 'stopped', problem: judged.refusal }
  const { call, tool, starts } = one
  if (tool === undefined || judged.verdict.effect !== 'allow') return UNCHECKED
  return checkCall(deps, call, tool, `${starts + 1}${round === 1 ? '' : `.${round}`}`)
}

/** Records what becomes of a call. Returns a started call for its execution; `again`: something changed since the judgement. */
async function record<K extends Attempting, W, C extends Case, E>(
  deps: K,
  role: AttemptRole<K, W, C, E>,
  one: C,
  found: FoundFacts,
  listeners: CallListeners | undefined,
): Promise<StartedCall | Ended<E> | 'again'> {
  const { judged, checked } = found
  const other = checked.is === 'stopped' ? await role.stopped(deps, one, checked.problem) : undefined
  if (other !== undefined) return other
  const planning = role.plan(deps, one, found, listeners)
  const plan = planning instanceof Promise ? await planning : planning
  if ('ending' in plan) return plan
  const { row, version, changes, stopping, unsynced } = plan
  const isStart = row.state === 'executing'
  deps.probe('intent.before')
  // INVARIANT: nothing is awaited between this check and the commit of a start.
  if (isStart && !isCallCurrent(deps, wasJudged(judged), row.server)) return 'again'
  const recorded = await (stopping === undefined
    ? deps.ledger.commit(changes)
    : commitAndStop(deps.ledger, changes, stopping))
  deps.probe('intent.after')
  if (recorded === 'committed') {
    if (plan.stores !== undefined) deps.volume.add(row.caller, ...plan.stores)
    if (!isStart || row.executor !== undefined) return { ending: describeCall(row, deps.links) }
    return { row, version, generation: wasJudged(judged).generation, unsynced: unsynced === true }
  }
  if (isUnrecorded(recorded)) return unrecorded(deps, role, one, plan, recorded)
  switch (plan.means[recorded.lost]) {
    case 'changed':
      await deps.catalogue.refresh(row.server)
      return 'again'
    case 'same_key':
    case 'taken':
      return role.taken(deps, one)
    default:
      return 'again'
  }
}

/**
 * Not sent, even if it turns out to be recorded as started: that will be known later, when nobody waits for it any more, and the judgement
 * may no longer apply by then.
 */
function unrecorded<K extends Attempting, W, C extends Case, E>(
  deps: K,
  role: AttemptRole<K, W, C, E>,
  one: C,
  plan: CallPlan,
  recorded: 'unavailable' | InDoubt,
): Ended<E> {
  if (!isInDoubt(recorded)) return { ending: role.giveUp(whyUnrecorded(recorded)) }
  const { row, version } = plan
  const why = whyUnrecorded(recorded, { call_id: row.call_id, sent: 'no' })
  endUnsent(deps, recorded.in_doubt, { stored: row, version, ended: role.unsent(one, plan, why, deps.clock()) })
  return { ending: role.giveUp(why) }
}

/** The result of a dry run enters the session like every other answer. */
async function onlyPreviewed(deps: Attempting, { call }: Case, judged: Judged, result: ToolResult): Promise<Outcome> {
  const { call_id, caller, thread, server, tool_id } = call
  const text = JSON.stringify(result)
  const source = { server, name: tool_id }
  const labelled = await deps.ledger.commit(
    textLabel({ id: call_id, caller, thread, kind: 'preview', source, text, at: deps.clock() }),
  )
  if (labelled !== 'committed') return refused(whyUnrecorded(labelled))
  deps.volume.add(caller, text)
  return { status: 'previewed', tool: tool_id, verdict: wasJudged(judged).verdict, preview: result }
}

export function wasJudged(judged: Judged): JudgedCall {
  if ('refusal' in judged) throw new Bug('only a decided call is refused before it is judged')
  return judged
}

type EndUnsentDeps = EndPorts & {
  readonly doubts: Doubts
  readonly persist: (attempt: () => Promise<boolean>) => void
}

/** A call as stored if the commit in doubt succeeded, and the row that then ends it. */
type Unsent = { readonly stored: CallRow; readonly version: Version; readonly ended: CallRow }

/**
 * A call whose record stayed in doubt is not sent, and its caller gets that answer. If the record turns out to be stored, the call is ended
 * here: nobody else would end an `executing` call of this process, and nobody should approve a request that was given up.
 */
function endUnsent(deps: EndUnsentDeps, id: CommitId, unsent: Unsent): void {
  const end = () => (unsent.stored.state === 'executing' ? endStarted(deps, unsent) : withdrawHeld(deps, unsent))
  const endIfStored = async () => {
    if ((await deps.doubts.known(id)) === 'committed') deps.persist(end)
  }
  void endIfStored()
}

/** False if it has to be retried. Lost means that it was already ended. */
async function endStarted(deps: EndUnsentDeps, { stored, version, ended }: Unsent): Promise<boolean> {
  const about = { code: 'audit.in_doubt' }
  const changes: Change[] = [
    { kind: 'swap', table: 'calls', id: stored.call_id, from: version, to: ended },
    {
      kind: 'audit',
      entry: auditOf('call.stopped', ended, deps.clock(), { actor: 'gate', outcome: ended.state, about }),
    },
  ]
  return !isUnrecorded(await deps.ledger.commit(changes))
}

async function withdrawHeld(deps: EndUnsentDeps, { stored }: Unsent): Promise<boolean> {
  if (stored.state !== 'pending' || stored.approval_id === undefined) return true
  const held = await deps.tables.row('approvals', stored.approval_id)
  if (held === undefined) return true
  const withdrawn = await endApproval(deps, held, 'gate', 'withdraw')
  return withdrawn.ok || !['audit.unavailable', 'audit.in_doubt'].includes(withdrawn.problem.code)
}
