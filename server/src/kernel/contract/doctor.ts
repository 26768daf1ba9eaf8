import type { MaybePromise } from '../ports/runtime.ts'
import type { Config } from './config.ts'
import type { Result } from './problems.ts'

/** `error`: the gate does not work. `warning`: it works, but something should be changed. `note`: for information. */
type Severity = 'error' | 'warning' | 'note' | 'ok'

export type DoctorFinding = {
  readonly severity: Severity
  readonly about: string
  readonly says: string
  /** What to do about it. */
  readonly do?: string
}

export type DoctorReport = { readonly ok: boolean; readonly findings: readonly DoctorFinding[] }

/** A configuration that can be read. */
export type CheckedConfig = {
  readonly config: Config
  /** Relative paths start there. */
  readonly folder: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** What `sluice doctor` asks a guest. It changes nothing. */
export type GuestChecks = {
  /** Reads what its settings name, as a start does, so that missing secrets are found before the start. */
  readonly settings?: (checked: CheckedConfig) => MaybePromise<Result<unknown>>
  /** `mayContact`: the owner of the configuration trusts the addresses in it. */
  readonly findings?: (checked: CheckedConfig, mayContact: boolean) => MaybePromise<readonly DoctorFinding[]>
}
