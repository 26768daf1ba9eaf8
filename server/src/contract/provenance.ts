import { z } from 'zod'
import { ArgumentPointer } from './judgement.ts'

/**
 * How closely calls are judged by whose words they act on. `balanced`: a call is asked about when a text from outside asks for it, or
 * gives it where to go. `strict`: everything that is not surely the user's is asked about once foreign prose was read. `off`: nothing is.
 */
export const ProvenanceMode = z.enum(['strict', 'balanced', 'off'])
export type ProvenanceMode = z.infer<typeof ProvenanceMode>

/** What the operator says of a tool, or of all tools of a server. */
export const ToolProvenance = z.strictObject({
  mode: ProvenanceMode.optional(),
  /** Modes of single fields of the arguments: `off` for one whose origin does not matter. */
  fields: z.record(ArgumentPointer, ProvenanceMode).default({}),
  /** Its outputs are a directory: contacts, the user's own accounts. What stands alone in a field of it may be a destination. */
  directory: z.boolean().optional(),
  /** Whether outsiders can write what it returns. Left out, they can. */
  outsiders: z.boolean().optional(),
})
export type ToolProvenance = z.infer<typeof ToolProvenance>

export const Provenance = z.strictObject({ mode: ProvenanceMode.default('balanced') })
export type Provenance = z.infer<typeof Provenance>

/** The user's words may be this long; what is longer is cut. */
export const MOST_WORDS_TEXT = 32_768

/** Words of a user that come with a request. `claimed`: an agent says that its user said so. */
export type UserText = { readonly text: string; readonly trust: 'user' | 'claimed' }
