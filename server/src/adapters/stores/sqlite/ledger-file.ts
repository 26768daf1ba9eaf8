import { statSync } from 'node:fs'
import { join } from 'node:path'

const NAME = 'ledger.sqlite'

export const ledgerFile = (folder: string): string => join(folder, NAME)

/** Including the log, which contains the newest rows. */
export const ledgerFiles = (folder: string): readonly string[] => [ledgerFile(folder), `${ledgerFile(folder)}-wal`]

/** The database itself and what SQLite writes beside it. */
export const isLedgerFile = (name: string): boolean => name.startsWith(NAME)

export function ledgerState(file: string): { readonly bytes: number } | undefined {
  const state = statSync(file, { throwIfNoEntry: false })
  return state === undefined ? undefined : { bytes: state.size }
}
