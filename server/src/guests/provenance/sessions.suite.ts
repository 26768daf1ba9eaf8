import type { Json } from '../../kernel/contract/json.ts'
import type { ToolDefinition, ToolEffect } from '../../kernel/contract/tool.ts'
import { judgeProvenance, type Mode, type ProvenanceRule } from './rules.ts'
import { createSession, type Session } from './session.ts'

export const SEND: ToolDefinition = {
  name: 'send_email',
  description: 'Sends an email to the given recipients.',
  inputSchema: { type: 'object', properties: { recipients: { type: 'array' }, subject: {}, body: {} } },
}
export const PAY: ToolDefinition = {
  name: 'send_money',
  description: 'Sends a transaction to the recipient.',
  inputSchema: { type: 'object', properties: { recipient: {}, amount: { type: 'number' }, subject: {} } },
}
export const DELETE: ToolDefinition = {
  name: 'delete_email',
  description: 'Deletes the email with the given id.',
  inputSchema: { type: 'object', properties: { email_id: {} } },
}

export type Read = Json | { readonly text: string }

/** A session in which the user said this, and these outputs were then read. */
export function sessionWith(
  words: readonly string[],
  outputs: readonly Json[],
  trust: 'user' | 'claimed' = 'user',
): Session {
  const session = createSession()
  for (const said of words) session.addWords(said, trust)
  for (const output of outputs) read(session, output)
  return session
}

export function read(
  session: Session,
  output: Json,
  more: { readonly house?: boolean; readonly directory?: boolean } = {},
): void {
  const result =
    typeof output === 'string'
      ? { content: [{ type: 'text', text: output }] }
      : { content: [], structuredContent: output }
  for (const _ of session.ingest(
    { kind: 'output', call: 'call_1', server: 's', name: 's__read', at: 0, ...more },
    result,
  ))
    continue
}

export function rulesOf(
  session: Session,
  definition: ToolDefinition,
  args: Json,
  more: {
    readonly effects?: readonly ToolEffect[]
    readonly mode?: Mode
    readonly recipients?: readonly string[]
  } = {},
): readonly ProvenanceRule[] {
  const { reasons } = judgeProvenance(session, {
    tool: `s__${definition.name}`,
    definition,
    effects: more.effects ?? ['write', 'external'],
    args,
    mode: more.mode ?? 'balanced',
    ...(more.recipients === undefined ? {} : { recipients: more.recipients }),
  })
  return reasons.map(({ rule }) => rule)
}
