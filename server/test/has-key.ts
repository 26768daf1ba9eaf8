import { GUEST_OF_KEY } from '../src/main/guest-of-key.ts'
import { GUESTS } from '../src/main/guests.ts'

/** Whether this build has the guest that reads a key of `sluice.yaml`. */
export const hasKey = (key: string): boolean => GUESTS.some(({ name }) => name === GUEST_OF_KEY[key])
