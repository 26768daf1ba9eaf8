/** Which processes that share the store are alive. A boot is one start of one process. */
export interface Liveness {
  /** False also for a boot that nobody ever heard of. */
  isAlive(boot: string): Promise<boolean>
}

/** Liveness where one process alone uses the store: every other boot has ended. */
export const onlyBoot = (boot: string): Liveness => ({ isAlive: async (other) => other === boot })
