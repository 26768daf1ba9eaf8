import { fates, type StoredRows } from '../../../../test/stored-rows.ts'

const habits: StoredRows<'habits'> = {
  table: 'habits',
  fates: fates(['v caller'], 'habits'),
  planted: ({ agent, text }) => [
    { id: agent, row: { v: 1, caller: agent, habits: [{ words: [text], tool_id: 'book__echo', times: 1 }] } },
  ],
  afterRestore: 'grants nothing',
}

export const STORED_ROWS = [habits]
