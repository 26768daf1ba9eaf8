import { z } from 'zod'
import { WorkflowDocument } from '../guests/workflows/workflow-document.ts'

/**
 * The JSON Schema of documents, for editors. `sluice workflow validate` also checks what a schema cannot express, such as
 * references.
 */
export function documentSchemaText(): string {
  const schema = z.toJSONSchema(WorkflowDocument, { io: 'input', unrepresentable: 'any' })
  return `${JSON.stringify({ ...schema, title: 'Gosuto document', description: 'One specialized agent of Sluice' }, null, 2)}\n`
}
