import { storeOf } from '../lib/store.ts'

/** What lies over the page. Only one thing at a time. */
export const overlay = storeOf<'palette' | 'pause' | 'resume' | 'keys' | undefined>(undefined)
