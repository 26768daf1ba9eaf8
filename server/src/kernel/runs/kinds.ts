import { escalateApproval } from '../approvals/escalate-approval.ts'
import { expireApproval, type EndPorts } from '../approvals/end-approval.ts'
import { withdrawHeld } from '../attempt/withdraw-call.ts'
import { resumeCall, type DecidedDeps } from '../attempt/decided.ts'
import { waitForCall, type WaitDeps } from '../attempt/read-call.ts'
import { delegation } from '../approvals/delegation.ts'
import { delivering, type DeliverPorts } from '../approvals/deliver.ts'
import { delivery } from '../approvals/delivery.ts'
import { heldCall, type HeldCallEffect } from '../attempt/held-call.ts'
import { Bug } from '../contract/problems.ts'
import type { KernelRunKind } from '../contract/run.ts'
import type { Guest } from '../registries.ts'
import { runKindEntry, type PerformersOf, type RunKindEntry, type RunKinds } from './performer.ts'

declare module './performer.ts' {
  interface PerformerNeeds {
    readonly kernel: HeldCallPorts & DeliverPorts
  }
}

/** The kinds that every gate has. */
const KERNEL_KINDS: Readonly<Record<KernelRunKind, RunKindEntry>> = {
  'held-call': runKindEntry(heldCall, { performers: heldCallPerformers }),
  delegation: runKindEntry(delegation, { performers: () => ({}) }),
  delivery: runKindEntry(delivery, { performers: (deps) => ({ deliver: delivering(deps) }) }),
}

/** Every kind of run: those of the kernel, and those of these guests. */
export async function loadRunKinds(guests: readonly Guest[]): Promise<RunKinds> {
  const loaded = guests.flatMap(({ runKinds = {} }) =>
    Object.entries(runKinds).map(async ([name, load]) => [name, await load()] as const),
  )
  const kinds = new Map<string, RunKindEntry>(Object.entries(KERNEL_KINDS))
  for (const [name, entry] of await Promise.all(loaded)) {
    if (entry.kind !== name || kinds.has(name))
      throw new Bug(`the kind of run \`${name}\` is declared wrongly or twice`)
    kinds.set(name, entry)
  }
  return kinds
}

type HeldCallPorts = DecidedDeps & EndPorts & WaitDeps

/** How long a performer waits for a call that another node executes, before it checks whether that node is alive. */
const ELSEWHERE_MS = 10_000

function heldCallPerformers(deps: HeldCallPorts): PerformersOf<HeldCallEffect> {
  return {
    async resume_call({ with: { call_id, approval_id } }, { signal }) {
      const outcome = await resumeCall(deps, call_id, approval_id)
      if (outcome === 'later') return 'later'
      if (outcome.status !== 'executing') return { type: 'effect.done', outcome: outcome.status }
      // Another node executes it. Its outcome is the run's; the run does not end before there is one.
      const row = (await deps.tables.row('calls', call_id))?.row
      if (row === undefined) return 'later'
      const patience = { signal: AbortSignal.any([signal, AbortSignal.timeout(ELSEWHERE_MS)]) }
      const { state } = await waitForCall(deps, row, patience, (now) => now.state !== 'executing')
      return state === 'executing' ? 'later' : { type: 'effect.done', outcome: state }
    },
    async withdraw_call({ with: { call_id, by } }) {
      const outcome = await withdrawHeld(deps, call_id, by)
      return outcome === 'later' ? 'later' : { type: 'effect.done', outcome }
    },
    async escalate_approval({ with: { approval_id } }) {
      const outcome = await escalateApproval(deps, approval_id)
      return outcome === 'later' ? 'later' : { type: 'effect.done', outcome }
    },
    async expire_approval({ with: { approval_id } }) {
      const expired = await expireApproval(deps, approval_id)
      return expired === 'later' ? 'later' : { type: 'effect.done', outcome: expired }
    },
  }
}
