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
