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
