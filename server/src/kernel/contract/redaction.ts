import type { HiddenPlace } from './approval.ts'

/** Arguments as people see them: canonical JSON without the secrets, and what was hidden. */
export type ShownArgs = { readonly args: string; readonly hidden: readonly HiddenPlace[] }

/** Replaces a text that could not be searched within the limits: unsearched text is never shown. */
export const UNSCANNED = 'UNSCANNED'
