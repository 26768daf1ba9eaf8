import { fates, type StoredRows } from '../../../../test/stored-rows.ts'

const documents: StoredRows<'documents'> = {
  table: 'documents',
  fates: fates(['v part name current sha256 owner at author schedules number text rolled_back_to']),
  afterRestore: 'grants nothing',
}
const agentValues: StoredRows<'agent_values'> = {
  table: 'agent_values',
  fates: fates(['v agent key value at by_run']),
  afterRestore: 'grants nothing',
}

export const STORED_ROWS = [documents, agentValues]
