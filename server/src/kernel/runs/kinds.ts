import { delegation } from '../approvals/delegation.ts'
import { delivering, type DeliverDeps } from '../approvals/deliver.ts'
import { delivery } from '../approvals/delivery.ts'
import { heldCall } from '../attempt/held-call.ts'
import { Bug } from '../contract/problems.ts'
import type { KernelRunKind } from '../contract/run.ts'
import type { Guest } from '../registries.ts'
import { heldCallPerformers, type HeldCallDeps } from './performers.ts'
import { runKindEntry, type RunKindEntry, type RunKinds } from './performer.ts'

declare module './performer.ts' {
  interface PerformerNeeds {
    readonly kernel: HeldCallDeps & DeliverDeps
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
