import { closeSync, openSync, writeSync } from 'node:fs'
import { newestText } from '../../kernel/contract/newest-text.ts'
import type { Tail } from './batch-link.ts'

/**
 * Notes the newest audit entry in a file, in place and without waiting for the disk. The note survives the end of the process;
 * after a power failure the file contains the old text or the new one.
 */
export function newestNote(file: string): { write(tail: Tail): void; close(): void } {
  let open: number | undefined
  return {
    write(tail) {
      open ??= openSync(file, 'r+')
      writeSync(open, newestText(tail), 0)
    },
    close() {
      if (open !== undefined) closeSync(open)
      open = undefined
    },
  }
}
