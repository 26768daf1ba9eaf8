import { join } from 'node:path'

/** A build has all its modules in one folder. */
const BIN = join(import.meta.dirname, import.meta.url.endsWith('.ts') ? '../../../bin' : '../../bin')

export const LAUNCHER = join(BIN, 'sluice')
/** What a coding agent starts for each event. */
export const HOOK = join(BIN, 'sluice-hook.cjs')
