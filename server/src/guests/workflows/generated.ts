import { z } from 'zod'
import { WorkflowDocument } from './workflow-document.ts'

/**
 * The JSON Schema of documents, for editors. `sluice workflow validate` also checks what a schema cannot express, such as
 * references.
 */
function documentSchema(): string {
  const schema = z.toJSONSchema(WorkflowDocument, { io: 'input', unrepresentable: 'any' })
  return `${JSON.stringify({ ...schema, title: 'Gosuto document', description: 'One specialized agent of Sluice' }, null, 2)}\n`
}

export const generated = { 'docs/gosuto.schema.json': documentSchema }
