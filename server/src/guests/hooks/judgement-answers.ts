import { z } from 'zod'
import { Arguments } from '../../kernel/contract/call-body.ts'
import { HOOK_CLIENTS } from '../../kernel/contract/hook-clients.ts'

/** How long a hook may wait for a person. Clients end a hook after ten minutes at most. */
export const LONGEST_HOOK_WAIT_MS = 600_000

const use = {
  client: z.enum(HOOK_CLIENTS),
  tool: z.string().min(1).max(200),
  args: Arguments.default({}),
  /** The client's session. */
  thread: z.string().min(1).max(128),
  /** The MCP server whose tool it is, if the client says so. */
  server: z.string().max(200).optional(),
  /** The folder that the client works in, and that of its project. */
  folders: z.array(z.string().min(1).max(4096)).max(4).default([]),
}

export const JudgementBody = z.strictObject({
  ...use,
  /** How long to wait for a person, if one is asked. */
  wait_ms: z.int().min(0).max(LONGEST_HOOK_WAIT_MS).default(0),
})

export const ToolOutcomeBody = z.strictObject({
  ...use,
  output: z.string().max(16_777_216),
  failed: z.boolean().default(false),
})

/** What the user typed. Longer texts are cut. */
export const UserWordsBody = z.strictObject({
  client: use.client,
  thread: use.thread,
  text: z.string().max(1_048_576),
})

export const JudgementAnswer = z.object({
  decision: z.enum(['allow', 'ask', 'block']),
  /** For the model and its user. */
  reason: z.string().optional(),
  call_id: z.string().optional(),
  /** A person has decided about this exact call. */
  approved: z.literal(true).optional(),
  approval_id: z.string().optional(),
  url: z.string().optional(),
  /** On a node: the hub that decides. */
  hub: z.string().optional(),
  expires_at: z.number().optional(),
})
export type JudgementAnswer = z.infer<typeof JudgementAnswer>

export const ToolOutcomeAnswer = z.object({ recorded: z.boolean() })
export const UserWordsAnswer = z.object({ heard: z.literal(true) })
