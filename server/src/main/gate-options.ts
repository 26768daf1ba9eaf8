import type { Ledger, CommitResults } from '../kernel/ports/ledger.ts'
import type { Perform } from '../kernel/runs/performer.ts'
import type { PolicyStore } from '../kernel/policy/put-policy.ts'
import type { Probe } from '../kernel/ports/runtime.ts'
import type { MessageTransport } from '../kernel/ports/transports.ts'
import type { DoctorAnswer } from '../kernel/contract/answers.ts'
import type { Config } from '../kernel/contract/config.ts'
import type { Result } from '../kernel/contract/problems.ts'
import type { Log } from '../kernel/ports/log.ts'
import type { PolicySource } from './policy-files.ts'

export type GateOptions = {
  readonly log: Log
  /** Nobody else writes to the store: the folder's lock is held. */
  readonly alone?: boolean
  readonly probe?: Probe
  /** Checked when the data folder is locked, before any tool server is started. */
  readonly checkFirst?: () => Promise<Result<void>>
  /** Wraps the store's own ledger and the performers of effects. Crash tests stop the process there, or perform twice. */
  readonly around?: {
    readonly ledger?: (ledger: Ledger & CommitResults) => Ledger & CommitResults
    readonly perform?: (kind: string, perform: Perform) => Perform
  }
  /** Called when the other nodes declared this one dead. */
  readonly onDead?: () => void
  /** The script of the thread that writes the ledger; crash tests use one that dies. */
  readonly writer?: URL
  /** Where people decide. Known only once the door is open. */
  readonly url: () => string
  /** Where the policy can be read again; without it, the settings' own text is permanent. */
  readonly policy?: PolicySource
  /** In addition to the configured ones. */
  readonly transports?: readonly MessageTransport[]
  /** Where a new policy is written; without it, nowhere. */
  readonly policyStore?: PolicyStore
  /** What `sluice doctor` says about this gate. */
  readonly doctor?: () => Promise<DoctorAnswer>
  /** Where the configured servers can be read again; without it they never change. */
  readonly readServers?: () => Result<Config['servers']>
  /** Called when a changed configuration was read again without a mistake. */
  readonly onReloaded?: () => void
}
