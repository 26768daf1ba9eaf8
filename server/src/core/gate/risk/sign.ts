import type { ToolEffect } from '../../../contract/tool.ts'

/** One piece of evidence. `read` and `write` pull against each other with their weights; the rest says what kind of write it is. */
export type Sign = {
  readonly effect: ToolEffect
  readonly from: 'name' | 'description' | 'schema'
  readonly evidence: string
  readonly weight: number
  /**
   * No weight of reading words makes such a tool a read: it stays at best unknown. A tool that runs the statements it is
   * given can still promise to run only reading ones.
   */
  readonly forbids_read?: 'always' | 'unless_promised'
  readonly promises_read?: true
  /** A read needs one such sign: a verb that says by itself that the tool reads. */
  readonly firm?: true
  /** As firm as the other, where both are there: something is worked out, and returned. */
  readonly derives?: true
  readonly returns?: true
  /** Stands beside a read too: what is read is a secret. */
  readonly of_a_read?: true
}
