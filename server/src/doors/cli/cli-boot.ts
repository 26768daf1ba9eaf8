import type { AuditReport, Checkpoint } from '../../contract/audit.ts'
import type { KeyBody, PolicyLintBody, PolicyTestBody } from '../../contract/api.ts'
import type { Result } from '../../contract/problems.ts'
import type { LintReport } from '../../commands/policy/lint-policy.ts'
import type { TestReport } from '../../commands/policy/test-policy.ts'
import type {
  BackupReport,
  DoctorReport,
  InitReport,
  InitWish,
  MoveReport,
  ResetReport,
  ServiceUnit,
} from './boot-reports.ts'
import type { LocalGate, UpOptions } from './local-gate.ts'

/** What only the fuse box can do for the command line. */
export type CliBoot = {
  readonly version: string
  /** Runs a gate in this process until it is told to stop. */
  up(options: UpOptions): Promise<number>
  /** Verifies the audit of a data folder on which no gate runs. */
  verify(options: UpOptions, against: readonly Checkpoint[]): Promise<Result<AuditReport>>
  /** New signing keys for a data folder that lost its own; says what was set aside. */
  reset(options: UpOptions): Promise<Result<ResetReport>>
  /** A key made by the folder's owner while no gate runs. */
  createKey(
    options: UpOptions,
    wanted: KeyBody,
    isNewFolder: boolean,
  ): Promise<Result<{ readonly key: string; readonly data: string }>>
  /** The commands that need no gate: a draft, or the configured policy. */
  offline(options: UpOptions): {
    test(asked: PolicyTestBody): Promise<Result<TestReport>>
    lint(asked: PolicyLintBody): Promise<Result<LintReport>>
  }
  /** Takes over the servers of MCP clients, or gives them back. */
  init(options: UpOptions, wish: InitWish): Promise<Result<InitReport>>
  /** Looks at everything, changes nothing. */
  doctor(options: UpOptions): Promise<DoctorReport>
  /** Copies ledger, keys and artifacts of a data folder that may be in use. */
  backUp(options: UpOptions, file: string): Promise<Result<BackupReport>>
  restore(options: UpOptions, file: string): Promise<Result<BackupReport>>
  /** Copies the embedded store of a data folder into a database. */
  move(options: UpOptions, address: string, schema: string): Promise<Result<MoveReport>>
  /** Measures, where the benches are: in a checkout. */
  bench(words: readonly string[]): Promise<number> | undefined
  /** Where the gate of these options listens locally, and how to start it in the background if it may be started. */
  local(options: UpOptions): LocalGate
  /** How the service manager of this machine starts the gate of these options; undefined where we know none. */
  service(options: UpOptions): (ServiceUnit & { readonly config: string }) | undefined
  /** The file that starts this program. */
  readonly launcher: string
}
