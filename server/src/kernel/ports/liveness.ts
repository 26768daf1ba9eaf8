/**
 * Which processes that share the store are alive. A boot is one start of one process; it is alive from before its first commit
 * until it leaves, or until another boot finds that its lease has ended and declares it dead.
 * INVARIANT: a dead boot stays dead. What it left behind may be taken over.
 */
export interface Liveness {
  /** This process. */
  readonly boot: string
  /** Also false for an unknown boot. */
  isAlive(boot: string): Promise<boolean>
  /** The other boots that nobody has declared dead. Absent if one process has the store to itself. */
  others?(): Promise<readonly string[]>
  /** Called for every other boot that this one saw alive, once, soon after its death. Returns a function that stops it. */
  onDeath(listener: (boot: string) => void): () => void
  /**
   * Whether all others certainly consider this boot alive, checked immediately before an external action. False may be too
   * cautious; true is correct, except for the time between the answer and the action.
   */
  mayAct(): boolean
}
