import { z } from 'zod'
import { ArgumentPointer } from '../../kernel/contract/judgement.ts'

/**
 * How strictly calls are judged by the source of the text they act on. `balanced`: a person is asked about a call if a text from
 * outside requests it or determines where it goes. `strict`: once the session has read prose from outside, a person is asked
 * about everything that does not certainly come from the user. `off`: not judged.
 */
export const ProvenanceMode = z.enum(['strict', 'balanced', 'off'])
export type ProvenanceMode = z.infer<typeof ProvenanceMode>

/** The operator's settings for a tool, or for all tools of a server. */
export const ToolProvenance = z.strictObject({
  mode: ProvenanceMode.optional(),
  /** Modes of individual fields of the arguments: `off` for one whose origin does not matter. */
  fields: z.record(ArgumentPointer, ProvenanceMode).default({}),
  /**
   * Its outputs are a directory: contacts, the user's own accounts. A value that is the only content of one of its fields may be
   * a destination.
   */
  directory: z.boolean().optional(),
  /** Whether outsiders can write what it returns. By default they can. */
  outsiders: z.boolean().optional(),
})
export type ToolProvenance = z.infer<typeof ToolProvenance>

export const Provenance = z.strictObject({ mode: ProvenanceMode.default('balanced') })
export type Provenance = z.infer<typeof Provenance>

/** The maximum length of the user's words; longer text is cut. */
export const MOST_WORDS_TEXT = 32_768

/** A user's words that come with a request. `claimed`: an agent reports them. */
export type UserText = { readonly text: string; readonly trust: 'user' | 'claimed' }
