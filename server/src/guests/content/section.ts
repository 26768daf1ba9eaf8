import { z } from 'zod'
import type { ConfigSection } from '../../kernel/contract/config.ts'
import { ArgumentPointer } from '../../kernel/contract/tool-settings.ts'

/** What happens if a tool's arguments contain sensitive text. */
export const ContentSettings = z.strictObject({
  /** By default a secret that would leave the machine is blocked, one that stays is asked about. */
  secrets: z.enum(['block', 'ask', 'off']).optional().describe('`block`, `ask` or `off` for secrets.'),
  pii: z.enum(['ask', 'off']).default('ask').describe('`ask` or `off` for personal data.'),
  /** Fields that are meant to contain a credential: a secret in one of them is asked about, not blocked. */
  credentials: z
    .array(ArgumentPointer)
    .max(100)
    .default([])
    .describe('Arguments that are supposed to contain a credential, as JSON pointers.'),
})
export type ContentSettings = z.infer<typeof ContentSettings>

/** Honey tokens and files that no legitimate call contains. */
export const Traps = z.strictObject({
  tokens: z
    .array(z.string().min(1).max(4096))
    .max(100)
    .default([])
    .describe('Honey tokens, as `env:NAME` or `file:PATH`.'),
  /** Files or folders, relative to the config file's folder. */
  files: z.array(z.string().min(1).max(4096)).max(100).default([]).describe('Paths of honey files.'),
})
export type Traps = z.infer<typeof Traps>

/** What counts as sensitive text, and where it is removed. */
export const Dlp = z.strictObject({
  rules: z
    .array(z.record(z.string(), z.json()))
    .default([])
    .describe('Additional detection rules, in the format of the built-in ones.'),
  /**
   * What is redacted in the answers of tools: known formats of secrets, guessed ones too, personal data too, or nothing.
   */
  outputs: z
    .enum(['secrets', 'strict', 'all', 'off'])
    .default('secrets')
    .describe('What is redacted in the answers of tools: `secrets`, `strict`, `all` or `off`.'),
  messages: z
    .enum(['secrets', 'all'])
    .default('secrets')
    .describe('What is redacted in messages to the agent: secrets and payment cards, or all personal data as well.'),
})
export type Dlp = z.infer<typeof Dlp>

declare module '../../kernel/contract/config.ts' {
  interface Config {
    traps: Traps
    dlp: Dlp
  }
}
declare module '../../kernel/contract/tool-settings.ts' {
  interface ToolSettings {
    content?: ContentSettings | undefined
  }
}

export const section: ConfigSection = {
  top: {
    traps: {
      rank: 1_110,
      schema: Traps.prefault({}).describe(
        'Honey tokens and files: a call that contains one is blocked, and its caller is quarantined.',
      ),
    },
    dlp: { rank: 1_320, schema: Dlp.prefault({}).describe('Detection of secrets and personal data.') },
  },
  tool: {
    content: {
      rank: 910,
      schema: ContentSettings.optional().describe('What happens if arguments contain secrets or personal data.'),
    },
  },
}
