import { z } from 'zod'
import { WorkflowDocument } from '../contract/workflow-document.ts'

/** The JSON Schema of documents, for editors. What it cannot say, such as references, `sluice workflow validate` does. */
export function documentSchemaText(): string {
  const schema = z.toJSONSchema(WorkflowDocument, { io: 'input', unrepresentable: 'any' })
  return `${JSON.stringify({ ...schema, title: 'Gosuto document', description: 'One specialised agent of Sluice' }, null, 2)}\n`
}
