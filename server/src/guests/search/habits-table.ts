import type { TableEntry } from '../../kernel/changes/table-entry.ts'
import { callerIdentity } from '../../kernel/contract/caller-identity.ts'
import { HABITS_LISTED_BY } from './habits.ts'

export const habitsTable: TableEntry<'habits'> = {
  table: 'habits',
  listed_by: HABITS_LISTED_BY,
  counted_as: 'habits',
  erased({ row, version }, { user, callers }) {
    const isTheirs = [...callers].some((id) => row.caller === callerIdentity({ id, user }) || row.caller === id)
    if (!isTheirs || row.habits.length === 0) return []
    return [{ kind: 'swap', table: 'habits', id: row.caller, from: version, to: { ...row, habits: [] } }]
  },
}
