import type { Liveness } from '../ports.ts'

/** Liveness where one process alone uses the store: every other boot has ended. */
export const onlyBoot = (boot: string): Liveness => ({ isAlive: async (other) => other === boot })
