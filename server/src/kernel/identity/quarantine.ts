import type { Call } from '../contract/call.ts'
import type { PauseRow } from '../contract/pause.ts'
import type { Opinion, Verdict } from '../contract/verdict.ts'
import { blocksForGate, type Decider } from '../decide/decider.ts'
import { pauseScopeOf } from '../decide/judge-pause.ts'
import type { Change, Committed, Ledger } from '../ports/ledger.ts'
import type { Tables } from '../ports/reads.ts'
import type { MaybePromise } from '../ports/runtime.ts'
import { lostAt } from '../changes/unrecorded.ts'

const TRIES = 100

type StoppingPorts = { readonly tables: Tables; readonly judgement: { readonly deciders: readonly Decider[] } }

/**
 * Commits the record of a call that does not start together with what stops its caller. If a concurrent commit changes the same pause, only
 * that part is made again: the record and its findings stay.
 */
export async function commitAndStop(
  ledger: Ledger,
  changes: readonly Change[],
  stopping: () => MaybePromise<readonly Change[]>,
): Promise<Committed> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const added = await stopping()
    const committed = await ledger.commit(added.length === 0 ? changes : [...changes, ...added])
    const lost = lostAt(committed)
    const isOfStopping = lost !== undefined && lost >= changes.length && lost < changes.length + added.length
    if (!isOfStopping) return committed
  }
  return 'unavailable'
}

/** If a trap was triggered, what stops the caller, and what tells the operator that the gate itself was the target. */
export async function stoppingChanges(
  deps: StoppingPorts,
  call: Call,
  verdict: Verdict,
  now: number,
): Promise<readonly Change[]> {
  return [...(await quarantineChanges(deps, call, verdict, now)), ...findingIfGateTargeted(deps, call, verdict, now)]
}

/**
 * A caller that triggers a trap is stopped in the same commit that records it: a critical finding, and a pause of the caller that
 * only an admin lifts.
 * INVARIANT: after a committed trap the caller is never free to continue.
 */
export function quarantineChanges(
  deps: StoppingPorts,
  call: Call,
  verdict: Verdict,
  now: number,
): readonly Change[] | Promise<readonly Change[]> {
  const { deciders } = deps.judgement
  const isTrap = (name: string) => deciders.some((one) => one.stops_caller === true && one.name === name)
  const sprung = verdict.evidence.filter(({ decider, effect }) => effect === 'block' && isTrap(decider))
  return sprung.length === 0 ? [] : stopCaller(deps, call, sprung, now)
}

async function stopCaller(
  { tables }: { readonly tables: Tables },
  call: Call,
  sprung: readonly Opinion[],
  now: number,
): Promise<readonly Change[]> {
  const scope = pauseScopeOf(call.caller)
  const traps = [...new Set(sprung.map(({ source }) => source))].join(', ')
  const finding: Change = {
    kind: 'audit',
    entry: {
      at: now,
      type: 'trap.sprung',
      actor: call.caller.id,
      trace: call.trace,
      subject: { call: call.call_id, tool: call.tool_id, thread: call.thread, scope },
      args_hash: call.args_hash,
      about: { severity: 'critical', traps },
    },
  }
  const held = await tables.row('pauses', scope)
  const isStopped = held?.row.active === true && held.row.effect === 'block'
  // Already stopped: if an admin lifts that pause at this moment, the new finding must still apply.
  if (isStopped) return [{ kind: 'expect', table: 'pauses', id: scope, version: held.version }, finding]
  const reason = `${call.call_id} used ${traps}`.slice(0, 300)
  const row: PauseRow = { v: 1, scope, effect: 'block', active: true, by: 'trap', reason, at: now }
  return [{ kind: 'swap', table: 'pauses', id: scope, from: held?.version ?? 'absent', to: row }, finding]
}

/** A call that targets the gate's own files or credentials leaves a critical finding, in the commit that records the call. */
function findingIfGateTargeted(
  { judgement }: StoppingPorts,
  call: Call,
  verdict: Verdict,
  now: number,
): readonly Change[] {
  const targeting = verdict.evidence.filter((opinion) => blocksForGate(opinion, judgement.deciders))
  const rules = [...new Set(targeting.map(({ rule }) => rule))]
  if (rules.length === 0) return []
  const entry = {
    at: now,
    type: 'gate.touched' as const,
    actor: call.caller.id,
    trace: call.trace,
    subject: { call: call.call_id, tool: call.tool_id, thread: call.thread },
    args_hash: call.args_hash,
    about: { severity: 'critical', rules: rules.join(', ') },
  }
  return [{ kind: 'audit', entry }]
}
