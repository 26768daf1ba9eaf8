import type { LookAlikeValue } from '../approvals/recipient-marks.ts'
import type { Json } from '../contract/json.ts'
import type { Sentence } from '../contract/sentence.ts'
import type { Tool } from '../contract/tool.ts'
import type { ValueSource } from '../sessions/value-source.ts'

export type SentenceInput = {
  readonly tool_id: string
  /** Absent if the tool is no longer in the catalogue. */
  readonly tool?: Pick<Tool, 'effects' | 'effects_from' | 'shell'> | undefined
  /** As approvers see them: without secrets. */
  readonly args: Json
  readonly sources?: readonly ValueSource[]
  /** Recipients that can be mistaken for known ones. */
  readonly look_alikes?: readonly LookAlikeValue[]
}

/**
 * Describes a call in one sentence. Pure and total: the same call has the same sentence, because people approve a digest of it. The event
 * loop may run between two steps.
 * INVARIANT: it contains all recipients, amounts, accounts, addresses, paths and every value from outside, or a mark where one of
 * them is cut.
 */
export type MakeSentence = (input: SentenceInput) => Generator<void, Sentence>

declare module './guest-ports.ts' {
  interface GuestPorts {
    /** Without it, a sentence lists the arguments. */
    readonly makeSentence?: MakeSentence
  }
}
