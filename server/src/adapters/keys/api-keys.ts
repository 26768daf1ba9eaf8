import { randomBytes } from 'node:crypto'
import type { CallerKind } from '../../kernel/contract/caller.ts'

/**
 * A new credential: 256 random bits, so a plain digest is enough to store. The prefix lets people and secret scanners recognize
 * it.
 */
export const newApiKey = (kind: CallerKind): string => `sluice_${kind}_${randomBytes(32).toString('base64url')}`
