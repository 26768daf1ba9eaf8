import type { KeyBody } from '../../kernel/contract/api.ts'
import type { AuditReport, Checkpoint } from '../../kernel/contract/audit.ts'
import type { Result } from '../../kernel/contract/problems.ts'
import type {
  BackupReport,
  DoctorReport,
  InitReport,
  InitOptions,
  MoveReport,
  ResetReport,
  RestoreReport,
} from './boot-reports.ts'
import type { Client, Follow } from './client.ts'
import type { Listen } from './event-lines.ts'
import type { Out } from './print.ts'
import type { CliBoot } from './cli-boot.ts'

/** The options of every command. */
export type Globals = { config?: string; data?: string; json?: boolean; url?: string; key?: string; as?: string }

/** What all commands share. */
export type Session = {
  /** Sends to the selected gate. If it is starting, waits for it and repeats a read that broke off. */
  readonly send: Client
  /** The same, but a read that broke off is not sent again. */
  readonly ask: Client
  /** Follows the changes at the gate. */
  readonly follow: Follow
  /** Follows the events of one address, each once. */
  readonly subscribe: Listen
  /** Verifies the audit of the local data folder while no gate runs on it. */
  readonly verify: (against: readonly Checkpoint[]) => Promise<Result<AuditReport>>
  readonly out: () => Out
  readonly exit: (code: number) => void
  /** New signing keys for the local data folder, and a new admin key for its owner. */
  readonly reset: () => Promise<Result<ResetReport>>
  /** Corrects the time of a gate that does not run. */
  readonly correctClock: (agrees: Parameters<CliBoot['correctClock']>[1]) => ReturnType<CliBoot['correctClock']>
  /** A key in the local data folder while no gate runs on it. */
  readonly createKey: (
    wanted: KeyBody,
    isNewFolder: boolean,
  ) => Promise<Result<{ readonly key: string; readonly data: string }>>
  readonly init: (initOptions: InitOptions) => Promise<Result<InitReport>>
  readonly doctor: () => Promise<DoctorReport>
  readonly backUp: (file: string) => Promise<Result<BackupReport>>
  readonly restore: (file: string) => Promise<Result<RestoreReport>>
  readonly revokeRestored: (keys: readonly string[]) => Promise<Result<void>>
  readonly move: (address: string, schema: string) => Promise<Result<MoveReport>>
  readonly service: () => ReturnType<CliBoot['service']>
  /** Reports a usage error. */
  readonly fail: (says: string) => void
  /** Whether the options name a gate on some other machine. */
  readonly isElsewhere: () => boolean
  /** Functions that need no gate and run in this process. */
  readonly offline: ReturnType<CliBoot['offline']>
}
