import { KERNEL_RUN_KINDS } from './contract/run.ts'
import type { AllOf } from './all-of.ts'
import type { Judging } from './decide/judging.ts'
import type { Companion, CompanionNeeds } from './changes/companions.ts'
import type { TableEntry } from './changes/table-entry.ts'
import type { RunKindEntry } from './runs/performer.ts'
import type { ConfigSection } from './contract/config.ts'

/**
 * What a guest adds to a gate. A guest is one value: data and functions, which `main/guests.ts` lists. Nothing registers itself, and
 * the kernel never names a guest. An adapter adds the parts that it reads by declaration merging, in its own file.
 *
 * The value is light: its parts are loaded with a dynamic import, so that a command loads only what it needs.
 */
export interface Guest {
  /** Also the name of its folder. */
  readonly name: string
  /** Other guests, whose `api.ts` it may import. A gate does not start without them. */
  readonly needs?: readonly string[]
  /** A gate starts without it only if the configuration names it in `guards.without`. */
  readonly guard?: true
  /** What it adds to the judgement of calls. */
  readonly judging?: () => Promise<Judging>
  /** What it writes together with the changes of others. */
  readonly companion?: () => Promise<(needs: AllOf<CompanionNeeds>) => Companion>
  /** Its tables. Their rows are declared in `Rows` (ports/ledger.ts). */
  readonly tables?: () => Promise<readonly TableEntry[]>
  /** Its kinds of runs, by name. */
  readonly runKinds?: Readonly<Record<string, () => Promise<RunKindEntry>>>
  /** Files that are derived from its code and committed, by their path in the project: the new text of each. */
  readonly generated?: () => Promise<Readonly<Record<string, (current: string) => string>>>
  /** What it adds to `sluice.yaml`. */
  readonly section?: () => Promise<ConfigSection>
}

/** The names of all kinds of runs, in the order in which they are listed to people. */
export const runKindNames = (guests: readonly Guest[]): readonly string[] => [
  ...KERNEL_RUN_KINDS,
  ...guests.flatMap(({ runKinds = {} }) => Object.keys(runKinds)),
]
