import { storeOf } from '../lib/store.ts'

/** The overlay that is open. Only one at a time. */
export const overlay = storeOf<'palette' | 'pause' | 'resume' | 'keys' | undefined>(undefined)
