/** The options that select the gate. */
export type UpOptions = {
  readonly config?: string
  readonly data?: string
  /** The address of a database, instead of the configured store. */
  readonly store?: string
  readonly demo?: boolean
  readonly port?: number
  /** The configuration is trusted without asking. */
  readonly trust?: boolean
  /** Of a guest's own command that starts a gate: instead of its section of the configuration, or of parts of it. */
  readonly section?: SectionOptions
}

export type SectionOptions = {
  /** The key of the section. */
  readonly key: string
  readonly values: object
  /** The options that set its keys, for messages about their faults. */
  readonly options: Readonly<Record<string, string>>
}

/** The result of starting a gate in the background. */
export type StartedGate =
  | { readonly is: 'started'; readonly log: string }
  /** There is no configuration to start it with. */
  | { readonly is: 'not_configured' }
  /** `says` is the last output of the gate, line by line. */
  | { readonly is: 'failed'; readonly says: readonly string[]; readonly log?: string }

/** A gate on this machine. */
export type LocalGate = {
  readonly socket: string
  readonly data: string
  readonly config: string
  /** A mistake in the options that select it. */
  readonly fault?: string
  /** Which gate this is, if there are several. */
  readonly notes: readonly string[]
  start(): Promise<StartedGate>
  /** Waits for a gate that is starting there. False at once if there is none. */
  comesUp(): Promise<boolean>
}
