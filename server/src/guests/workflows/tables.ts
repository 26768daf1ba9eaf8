import type { TableEntry } from '../../kernel/changes/table-entry.ts'
import { AGENT_VALUES_LISTED_BY, DOCUMENTS_LISTED_BY } from './workflow.ts'

const documentTable: TableEntry<'documents'> = { table: 'documents', listed_by: DOCUMENTS_LISTED_BY }
const agentValueTable: TableEntry<'agent_values'> = { table: 'agent_values', listed_by: AGENT_VALUES_LISTED_BY }

export const WORKFLOW_TABLES = [documentTable, agentValueTable]
