import type { ChannelEvent } from './channels.ts'
import type { Sentence } from '../contract/sentence.ts'
import type { RiskClass } from '../contract/tool.ts'
import type { Strength } from '../contract/verdict.ts'

/** What a channel sends: redacted, short, and never anything that could decide. */
export type ChannelMessage = {
  readonly delivery_id: string
  readonly event: ChannelEvent
  readonly at: number
  readonly call_id: string
  readonly approval_id?: string
  readonly tool_id: string
  readonly title: string
  /** What the call does. A channel that others can read shows it without its values. */
  readonly sentence: Sentence
  readonly risk: RiskClass
  readonly why: string
  readonly args: string
  readonly asked_by: string
  readonly thread: string
  readonly state: string
  readonly strength?: Strength
  readonly expires_at?: number
  readonly url?: string
  /** The hub that decides the request, if this gate is a node. It cannot be decided through the channel then. */
  readonly decided_at?: string
  /** The result of the dry run. */
  readonly preview?: string
  /** How much redaction hides; a channel cannot reveal it. */
  readonly hidden?: { readonly places: number; readonly characters: number; readonly says: string }
  /** Repeated by an approval that comes back. Absent if the message does not show the whole packet. */
  readonly digest?: string
  /** Whether it contains texts that whoever passes it on could fold. */
  readonly is_long?: true
}
