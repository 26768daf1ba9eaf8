import { z } from 'zod'

/** One place where two definitions differ, as a JSON pointer. A missing side did not exist there. */
export const DefinitionChange = z.object({
  path: z.string(),
  before: z.string().optional(),
  after: z.string().optional(),
})
export type DefinitionChange = z.infer<typeof DefinitionChange>

const Definition = z.object({
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: z.record(z.string(), z.unknown()),
  outputSchema: z.record(z.string(), z.unknown()).optional(),
  annotations: z.record(z.string(), z.unknown()).optional(),
})

/**
 * What an operator reads before admitting a tool: the definition that models read now and the one the server lists. All texts
 * come from the tool server: data, never instructions.
 */
export const DefinitionReview = z.object({
  tool_id: z.string(),
  server: z.string(),
  status: z.enum(['admitted', 'changed', 'new', 'gone']),
  /** What was admitted, when and by whom. Absent for a tool that nobody has admitted: models do not read it. */
  before: z.object({ hash: z.string(), definition: Definition, at: z.number(), by: z.string() }).optional(),
  /** What the server lists now. Its hash is the one to admit. */
  after: z.object({ hash: z.string(), definition: Definition }),
  /** Every difference, with both texts. */
  changes: z.array(DefinitionChange).readonly(),
})
export type DefinitionReview = z.infer<typeof DefinitionReview>
