import { fates, type StoredRows } from '../../../../test/stored-rows.ts'

const pushes: StoredRows<'pushes'> = {
  table: 'pushes',
  fates: fates(['v push_id user caller key created_at ended_at'], 'endpoint p256dh auth name'),
  planted: ({ approver, text }) => {
    const texts = { endpoint: text, p256dh: text, auth: text, name: text }
    return [{ id: 'p', row: { v: 1, push_id: 'p', user: 'ana', caller: approver, created_at: 1, ...texts } }]
  },
  afterRestore: 'grants nothing',
}

export const STORED_ROWS = [pushes]
