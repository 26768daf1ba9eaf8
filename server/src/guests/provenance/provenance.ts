import { z } from 'zod'
import type { ConfigSection } from '../../kernel/contract/config.ts'
import { ArgumentPointer } from '../../kernel/contract/tool-settings.ts'

/**
 * How strictly calls are judged by the source of the text they act on. `balanced`: a person is asked about a call if a text from
 * outside requests it or determines where it goes. `strict`: once the session has read prose from outside, a person is asked
 * about everything that does not certainly come from the user. `off`: not judged.
 */
export const ProvenanceMode = z.enum(['strict', 'balanced', 'off'])
export type ProvenanceMode = z.infer<typeof ProvenanceMode>

/** The operator's settings for a tool, or for all tools of a server. */
export const ToolProvenance = z.strictObject({
  mode: ProvenanceMode.optional().describe('`strict`, `balanced` or `off`.'),
  /** Modes of individual fields of the arguments: `off` for one whose origin does not matter. */
  fields: z.record(ArgumentPointer, ProvenanceMode).default({}).describe('A different mode for single arguments.'),
  /**
   * Its outputs are a directory: contacts, the user's own accounts. A value that is the only content of one of its fields may be
   * a destination.
   */
  directory: z
    .boolean()
    .optional()
    .describe('Its outputs are your own directory (contacts, own accounts), so destinations may come from them.'),
  outsiders: z.boolean().optional().describe('Whether outsiders can write the text that it returns.'),
})
export type ToolProvenance = z.infer<typeof ToolProvenance>

export const Provenance = z.strictObject({
  mode: ProvenanceMode.default('balanced').describe('The default for all tools: `strict`, `balanced` or `off`.'),
})
export type Provenance = z.infer<typeof Provenance>

declare module '../../kernel/contract/config.ts' {
  interface Config {
    provenance: Provenance
  }
}
declare module '../../kernel/contract/tool-settings.ts' {
  interface ServerCommon {
    /** For all of its tools that have no own setting. */
    provenance?: ToolProvenance | undefined
  }
  interface ToolSettings {
    provenance?: ToolProvenance | undefined
  }
}

export const section: ConfigSection = {
  top: {
    provenance: {
      rank: 1_310,
      schema: Provenance.prefault({}).describe('How the source of argument values affects the decision.'),
    },
  },
  server: {
    provenance: {
      rank: 420,
      schema: ToolProvenance.optional().describe('How values that come from its outputs are judged.'),
    },
  },
  tool: {
    provenance: {
      rank: 920,
      schema: ToolProvenance.optional().describe('How values that come from its outputs are judged.'),
    },
  },
}
