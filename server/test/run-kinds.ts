import { loadRunKinds } from '../src/kernel/runs/kinds.ts'
import { GUESTS } from '../src/main/guests.ts'

/** Every kind of run of this build. */
export const RUN_KINDS = await loadRunKinds(GUESTS)
