/**
 * Which processes that share the store are alive. A boot is one start of one process; it is alive from before its first commit
 * until it leaves, or until another boot finds that its lease has ended and declares it dead.
 * INVARIANT: a boot that was dead once is dead for good. What it left behind may be taken over.
 */
export interface Liveness {
  /** This process. */
  readonly boot: string
  /** False also for a boot that nobody ever heard of. */
  isAlive(boot: string): Promise<boolean>
  /** Told of every other boot that this one saw alive, once, soon after its death. Returns how to stop. */
  onDeath(listener: (boot: string) => void): () => void
  /**
   * Whether this boot is surely alive for everybody else, asked immediately before something is done in the world. False may be
   * too cautious, true never is, but for the time between the answer and the deed.
   */
  mayAct(): boolean
}
