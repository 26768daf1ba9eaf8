import type { EndedByRestore, RestoredKey } from '../../kernel/restore/end-restored.ts'

/** A file for the service manager of this machine, and the commands around it. */
export type ServiceUnit = {
  readonly file: string
  readonly text: string
  readonly start: readonly string[]
  readonly stop: readonly string[]
  readonly logs: string
  /** The link that exists while the unit is started at login; undefined if the unit file alone is enough. */
  readonly link?: string
  /** The service manager that the unit is for, if it does not run here. */
  readonly lacks?: string
}

/** The latest time that the gate has seen, and what becomes valid again if it is corrected to that of this machine's clock. */
export type ClockReport = {
  readonly from: number
  readonly to: number
  /** The names of keys. */
  readonly keys: readonly string[]
  readonly consents: number
  readonly corrected: boolean
}

/** The files that were renamed, and where the owner's new admin key is. */
export type ResetReport = { readonly set_aside: readonly string[]; readonly admin_key?: string }

/** The options of `sluice init`. */
export type InitOptions = {
  /** Names of clients or paths of their files; empty means all that are found. */
  readonly from: readonly string[]
  readonly write: boolean
  /** With `write`: also install the hooks of coding agents. */
  readonly hooks: boolean
  readonly undo: boolean
  readonly dry_run: boolean
}

export type FoundServer = {
  /** Its name in the client's file. */
  readonly name: string
  /** Its name in `sluice.yaml`; absent if it was not moved there. */
  readonly as?: string
  /** What the gate starts or contacts for it, if it is new in `sluice.yaml`. */
  readonly runs?: readonly string[]
  /** Keys of its entry that have no equivalent in `sluice.yaml`, and what to do instead. */
  readonly not_supported?: readonly { readonly key: string; readonly instead?: string }[]
  /** Why it was not moved, or a remark about it. */
  readonly note?: string
}

export type FoundClient = { readonly client: string; readonly file: string; readonly servers: readonly FoundServer[] }

/** A coding agent on this machine whose built-in tools can be judged through hooks, and the file that they are in. */
export type FoundHook = {
  readonly client: string
  readonly file: string
  /** `installed`: they were there before. `added`: now, or with a dry run they would be. */
  readonly state: 'installed' | 'added' | 'absent'
}

export type InitReport = {
  readonly config: string
  readonly config_is: 'written' | 'extended' | 'unchanged'
  readonly dry_run: boolean
  readonly clients: readonly FoundClient[]
  readonly hooks: readonly FoundHook[]
  /** The files that secrets were moved to; never the secrets. */
  readonly secrets: readonly { readonly server: string; readonly key: string; readonly reference: string }[]
  /** Client files that were changed, or restored by an undo, each with its backup. */
  readonly changed: readonly { readonly file: string; readonly backup: string }[]
  /** For the clients whose files were not changed. */
  readonly snippet: Readonly<Record<string, unknown>>
  readonly notes: readonly string[]
}

/** `error`: the gate does not work. `warning`: it works, but something should be changed. `note`: for information. */
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
  /** Files besides the ledger: keys, artifacts, secrets, files of tool servers. */
  readonly files: number
}

export type RestoreReport = BackupReport & {
  /** Number of entries of the backup's audit, which was verified. */
  readonly entries: number
  /** What waited when the backup was made, and was ended. */
  readonly ended: EndedByRestore
  /** The folders that the backup replaces, and how many rows were taken from each; undefined if it could not be read. */
  readonly taken: readonly { readonly folder: string; readonly rows: number | undefined }[]
  /** The keys that are valid, without the owner's own, which is new. */
  readonly keys: readonly RestoredKey[]
}

/** What was copied from a data folder into a database. */
export type MoveReport = {
  readonly data: string
  readonly schema: string
  /** Number of entries of the audit, which was verified in both stores. */
  readonly entries: number
  readonly rows: number
  readonly artifacts: number
}
