import type { Caller } from '../contract/caller.ts'
import type { GateChange } from '../contract/change.ts'
import type { RunRow } from '../contract/run.ts'
import { ownedRun, type CallersOfKinds, type OwnedRun } from '../runs/may-see-run.ts'
import { ESCALATED } from '../approvals/escalate-approval.ts'
import type { Change, Rows, Swap, Table, Version } from '../ports/ledger.ts'

type Without<T> = T extends unknown ? Omit<T, 'id' | 'at'> : never

/** A change, and whose call or run it is about, which decides who may see it. A guest adds the fields that decide it for its own. */
export interface Happened {
  readonly change: Without<GateChange>
  readonly owner?: Caller
  readonly run?: OwnedRun
  /** The node that published it, and its number there. */
  readonly by?: { readonly node: string; readonly number: number }
}

/** Numbers the changes that a node publishes, from 1. */
export type ChangeNumbers = { readonly node: string; last: number }

/** What guests add: whose their runs are, and what is told about their tables. */
export type Reported = {
  readonly kinds: CallersOfKinds
  readonly topics: ReadonlyMap<Table, { happened(row: Rows[Table], version: Version): Happened | undefined }>
}

/**
 * The changes in a commit that watchers may want to know. Most are skipped: checkpoints, journals, units. `numbers`: those of the
 * node that publishes them.
 */
export function changesIn(
  reported: Reported,
  changes: readonly Change[],
  numbers?: ChangeNumbers,
): readonly Happened[] {
  let happened: Happened[] | undefined
  const isEscalation = changes.some(isOfEscalation)
  for (const change of changes) {
    const one = change.kind === 'swap' ? inSwap(reported, change, isEscalation) : inAudit(change)
    if (one === undefined) continue
    if (numbers !== undefined) one.by = { node: numbers.node, number: (numbers.last += 1) }
    if (happened === undefined) happened = [one]
    else happened.push(one)
  }
  return happened ?? NOTHING
}

const NOTHING: readonly Happened[] = []
const isOfEscalation = (change: Change): boolean => change.kind === 'audit' && change.entry.type === ESCALATED

type Found = Happened & { by?: Happened['by'] }

function inSwap({ kinds, topics }: Reported, swap: Swap, isEscalation: boolean): Found | undefined {
  const version = swap.from === 'absent' ? 1 : swap.from + 1
  switch (swap.table) {
    case 'calls': {
      const { call_id, tool_id, state, thread, caller, approval_id, task_of } = swap.to
      const { id: asked_by, user } = caller
      const own = { kind: 'call' as const, call_id, tool_id, state, version, thread, asked_by, user }
      // Most calls are neither held nor followed as a task.
      if (approval_id === undefined && task_of === undefined) return { change: own, owner: caller }
      const more = {
        ...(approval_id === undefined ? {} : { approval_id }),
        ...(task_of === undefined ? {} : { task: true as const }),
      }
      return { change: { ...own, ...more }, owner: caller }
    }
    case 'approvals': {
      const { approval_id, call_id, tool_id, state, strength, expires_at, caller } = swap.to
      const moment = { state, version, strength, expires_at, ...(isEscalation ? { escalated: true as const } : {}) }
      const change = { kind: 'approval' as const, approval_id, call_id, tool_id, ...moment }
      return { change, owner: caller }
    }
    case 'runs': {
      // Runs of the gate itself, such as a delivery to a channel, are not reported.
      if (swap.to.owner === undefined) return undefined
      const { run_id, kind: run_kind, status } = swap.to
      const change = { kind: 'run' as const, run_id, run_kind, status, version, ...labelsOf(swap.to) }
      return { change, run: ownedRun(kinds, swap.to) }
    }
    case 'pauses': {
      const { scope, effect, active } = swap.to
      return { change: { kind: 'pause', scope, effect, active, version } }
    }
    default:
      // The catalogue reports tools, once it has loaded them.
      return topics.get(swap.table)?.happened(swap.to, version)
  }
}

function labelsOf({ thread, parent, waits_for }: RunRow) {
  return {
    ...(thread === undefined ? {} : { thread }),
    ...(parent === undefined ? {} : { parent }),
    ...(waits_for === undefined ? {} : { waits_for }),
  }
}

function inAudit(change: Change): Found | undefined {
  if (change.kind !== 'audit') return undefined
  const { type } = change.entry
  if (type === 'policy.loaded') return { change: { kind: 'policy', event: 'loaded' } }
  return type === 'policy.refused' ? { change: { kind: 'policy', event: 'refused' } } : undefined
}
