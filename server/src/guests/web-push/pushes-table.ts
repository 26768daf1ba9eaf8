import type { TableEntry } from '../../kernel/changes/table-entry.ts'

export const pushesTable: TableEntry<'pushes'> = {
  table: 'pushes',
  listed_by: ['user'],
  /** A browser without its address and keys gets no more messages. */
  erased({ row, version }, { user, now }) {
    if (row.user !== user || row.endpoint === '') return []
    const to = { ...row, ended_at: row.ended_at ?? now, endpoint: '', p256dh: '', auth: '', name: '' }
    return [{ kind: 'swap', table: 'pushes', id: row.push_id, from: version, to }]
  },
}
