/** A file for the service manager of this machine, and the commands around it. */
export type ServiceUnit = {
  readonly file: string
  readonly text: string
  readonly start: readonly string[]
  readonly stop: readonly string[]
  readonly logs: string
}

/** What was set aside, and where the owner's new admin key is. */
export type ResetReport = { readonly set_aside: readonly string[]; readonly admin_key?: string }

/** What `sluice init` was asked for. */
export type InitWish = {
  /** Names of clients or paths of their files; all that are found when empty. */
  readonly from: readonly string[]
  readonly write: boolean
  readonly undo: boolean
  readonly dry_run: boolean
}

export type FoundServer = {
  /** As the client calls it. */
  readonly name: string
  /** As it is called in `sluice.yaml`; absent when it was not taken over. */
  readonly as?: string
  /** Why it was not taken over, or what to know about it. */
  readonly note?: string
}

export type FoundClient = { readonly client: string; readonly file: string; readonly servers: readonly FoundServer[] }

export type InitReport = {
  readonly config: string
  readonly config_is: 'written' | 'extended' | 'unchanged'
  readonly dry_run: boolean
  readonly clients: readonly FoundClient[]
  /** Where secrets were moved to; never what they are. */
  readonly secrets: readonly { readonly server: string; readonly key: string; readonly reference: string }[]
  /** Client files that were changed, or restored by an undo, each with its backup. */
  readonly changed: readonly { readonly file: string; readonly backup: string }[]
  /** For the clients whose files were not changed. */
  readonly snippet: Readonly<Record<string, unknown>>
  readonly notes: readonly string[]
}

/** `error`: the gate does not work like this. `warning`: it works, and somebody should know. `note`: good to know. */
export type Severity = 'error' | 'warning' | 'note' | 'ok'

export type Finding = {
  readonly severity: Severity
  readonly about: string
  readonly says: string
  /** What to do about it. */
  readonly do?: string
}

export type DoctorReport = { readonly ok: boolean; readonly findings: readonly Finding[] }

export type BackupReport = {
  readonly file: string
  readonly data: string
  readonly bytes: number
  /** Besides the ledger: keys, artifacts, secrets, what tool servers keep. */
  readonly files: number
  /** Of the restored audit, which verifies. */
  readonly entries?: number
}

/** What was copied from a data folder into a database. */
export type MoveReport = {
  readonly data: string
  readonly schema: string
  /** Of the audit, which verifies on both sides. */
  readonly entries: number
  readonly rows: number
  readonly artifacts: number
}
