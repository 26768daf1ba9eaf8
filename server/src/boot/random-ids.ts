import { randomBytes } from 'node:crypto'
import type { Ids } from '../commands/ports.ts'

const hex = (bytes: number) => randomBytes(bytes).toString('hex')

/** Ids nobody can guess. A call's begins with its time, so that lists of ids sort as they happened. */
export const randomIds: Ids = {
  call: () => `call_${Date.now().toString(16).padStart(12, '0')}${hex(6)}`,
  approval: () => `auth_${hex(8)}`,
  consent: () => `cons_${hex(12)}`,
  run: () => `run_${hex(8)}`,
  key: () => `key_${hex(8)}`,
  trace: () => hex(16),
}
