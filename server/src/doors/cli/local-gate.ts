/** The options that say which gate is started or meant. */
export type UpOptions = {
  readonly config?: string
  readonly data?: string
  /** The address of a database, instead of the configured store. */
  readonly store?: string
  readonly demo?: boolean
  readonly port?: number
  /** Of `sluice node`: instead of the `hub` section, or parts of it. */
  readonly hub?: HubOptions
}

export type HubOptions = {
  readonly url?: string
  readonly node?: string
  readonly key?: string
  readonly public_keys?: readonly string[]
}

/** What became of starting a gate in the background. */
export type Started =
  | { readonly is: 'started'; readonly log: string }
  /** There is no configuration to start it with. */
  | { readonly is: 'not_configured' }
  /** `says` is what the gate said before it ended, line by line. */
  | { readonly is: 'failed'; readonly says: readonly string[]; readonly log?: string }

/** A gate on this machine. */
export type LocalGate = {
  readonly socket: string
  readonly data: string
  readonly config: string
  /** A mistake in the options that lead to it. */
  readonly fault?: string
  /** Which gate this is, where there is more than one. */
  readonly notes: readonly string[]
  start(): Promise<Started>
}
