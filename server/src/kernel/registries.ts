import { KERNEL_RUN_KINDS } from './contract/run.ts'
import type { AllOf } from './all-of.ts'
import type { Judging } from './decide/judging.ts'
import type { Companion, CompanionNeeds } from './changes/companions.ts'
import type { TableEntry } from './changes/table-entry.ts'
import type { RunKindEntry } from './runs/performer.ts'
import type { ConfigSection } from './contract/config.ts'
import type { GuestChecks } from './contract/doctor.ts'
import { KERNEL_PROBLEMS, type ProblemTable } from './contract/problems.ts'
import type { ChannelKind } from './approvals/channel-kind.ts'
import type { BoundPorts } from './ports/bound-ports.ts'
import type { OpenFiles } from './ports/files.ts'
import type { Ports } from './ports/guest-ports.ts'
import type { PolicyCheck } from './ports/policy-check.ts'
import type { PrepareGuest } from './ports/prepare-guest.ts'
import type { SharedKeyFile } from './ports/shared-key-file.ts'
import type { OpenTextGuard } from './ports/text-guard.ts'

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
  /** Other guests that it uses if this build has them. It is prepared after these, as after those that it needs. */
  readonly uses?: readonly string[]
  /** A gate starts without it only if the configuration names it in `guards.without`. */
  readonly guard?: true

  /** Its codes. They are declared in `Problems` (contract/problems.ts). */
  readonly problems?: () => Promise<ProblemTable>
  /** What it adds to `sluice.yaml`. */
  readonly section?: () => Promise<ConfigSection>
  /** Called once at the start of a gate. */
  readonly prepare?: () => Promise<PrepareGuest>
  /** Ends what nobody continues any more. Called before old rows are deleted. */
  readonly sweep?: () => Promise<(ports: BoundPorts) => Promise<void>>
  /** Deletes what it has of a person outside of the store. */
  readonly eraseUser?: () => Promise<(ports: Ports, user: string) => Promise<void>>
  readonly checks?: () => Promise<GuestChecks>

  /** What it adds to the judgement of calls. */
  readonly judging?: () => Promise<Judging>
  /** Checks policies. Only one guest may. */
  readonly policyCheck?: () => Promise<PolicyCheck>
  /** Keeps secrets out of texts. At most one guest does. */
  readonly textGuard?: () => Promise<OpenTextGuard>
  readonly files?: () => Promise<OpenFiles>

  /** Its kinds of runs, by name. */
  readonly runKinds?: Readonly<Record<string, () => Promise<RunKindEntry>>>
  /** Its tables. Their rows are declared in `Rows` (ports/ledger.ts). */
  readonly tables?: () => Promise<readonly TableEntry[]>
  /** What it writes together with the changes of others. */
  readonly companion?: () => Promise<(needs: AllOf<CompanionNeeds>) => Companion>
  /** A file in the folder of keys that every node of a store has. */
  readonly sharedKeyFile?: SharedKeyFile
  /** A kind of channel that people are notified through. */
  readonly channel?: () => Promise<ChannelKind>

  /** Files that are derived from its code and committed, by their path in the project: the new text of each. */
  readonly generated?: () => Promise<Readonly<Record<string, (current: string) => string>>>
}

/** The names of all kinds of runs, in the order in which they are listed to people. */
export const runKindNames = (guests: readonly Guest[]): readonly string[] => [
  ...KERNEL_RUN_KINDS,
  ...guests.flatMap(({ runKinds = {} }) => Object.keys(runKinds)),
]

/** Every code that these guests and the kernel know. */
export async function allProblems(guests: readonly Guest[]): Promise<ProblemTable> {
  const tables = await Promise.all(guests.map(async ({ problems }) => problems?.()))
  return Object.assign({ ...KERNEL_PROBLEMS }, ...tables) as ProblemTable
}
