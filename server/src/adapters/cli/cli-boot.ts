import type { AuditReport, Checkpoint } from '../../kernel/contract/audit.ts'
import type { KeyBody, PolicyLintBody, PolicyTestBody } from '../../kernel/contract/api.ts'
import type { Result } from '../../kernel/contract/problems.ts'
import type { LintReport } from '../../kernel/ports/policy-check.ts'
import type { TestReport } from '../../kernel/policy/test-policy.ts'
import type {
  BackupReport,
  ClockReport,
  DoctorReport,
  InitReport,
  InitOptions,
  MoveReport,
  ResetReport,
  RestoreReport,
  ServiceUnit,
} from './boot-reports.ts'
import type { LocalGate, UpOptions } from './local-gate.ts'

/** What the command line needs from `boot/`. */
export type CliBoot = {
  readonly version: string
  /** The names of all kinds of runs. */
  readonly runKinds: readonly string[]
  /** Runs a gate in this process until it is stopped. */
  up(options: UpOptions): Promise<number>
  /** Verifies the audit of a data folder on which no gate runs. */
  verify(options: UpOptions, against: readonly Checkpoint[]): Promise<Result<AuditReport>>
  /** Creates new signing keys for a data folder that lost its own; returns which files were renamed. */
  reset(options: UpOptions): Promise<Result<ResetReport>>
  /** Makes this machine's clock the time of a gate that has seen a later one, after asking. */
  correctClock(options: UpOptions, agrees: (report: ClockReport) => Promise<boolean>): Promise<Result<ClockReport>>
  /** Creates a key as the folder's owner while no gate runs. */
  createKey(
    options: UpOptions,
    wanted: KeyBody,
    isNewFolder: boolean,
  ): Promise<Result<{ readonly key: string; readonly data: string }>>
  /** Policy commands that need no gate, on a draft or the configured policy. */
  offline(options: UpOptions): {
    test(asked: PolicyTestBody): Promise<Result<TestReport>>
    lint(asked: PolicyLintBody): Promise<Result<LintReport>>
  }
  /** Moves the servers of MCP clients behind the gate, or restores the clients' files. */
  init(options: UpOptions, initOptions: InitOptions): Promise<Result<InitReport>>
  /** Checks everything and changes nothing. */
  doctor(options: UpOptions): Promise<DoctorReport>
  /** Copies ledger, keys and artifacts of a data folder that may be in use. */
  backUp(options: UpOptions, file: string): Promise<Result<BackupReport>>
  /** Creates the data folder from a backup. */
  restore(options: UpOptions, file: string): Promise<Result<RestoreReport>>
  /** Revokes keys that a restore brought back. */
  revokeRestored(options: UpOptions, keys: readonly string[]): Promise<Result<void>>
  /** Copies the embedded store of a data folder into a database. */
  move(options: UpOptions, address: string, schema: string): Promise<Result<MoveReport>>
  /** Runs the benchmarks, which exist only in a checkout. */
  bench(words: readonly string[]): Promise<number> | undefined
  /** The local socket of the gate that these options mean, and how to start it in the background. */
  local(options: UpOptions): LocalGate
  /** The unit file for the service manager of this machine; undefined if it is not supported. */
  service(options: UpOptions): (ServiceUnit & { readonly config: string }) | undefined
  /** The path of the launcher. */
  readonly launcher: string
}
