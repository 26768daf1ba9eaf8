import { hash } from 'node:crypto'
import type { Sha256 } from '../../kernel/contract/ids.ts'

/** SHA-256 in lower-case hex; for a string, of its UTF-8 bytes. */
export const sha256Hex = (data: string | Uint8Array): Sha256 => hash('sha256', data, 'hex')
