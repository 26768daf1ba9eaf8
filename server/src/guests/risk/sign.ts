import type { ToolEffect } from '../../kernel/contract/tool.ts'

/** One piece of evidence. `read` and `write` are weighed against each other; the rest says what kind of write it is. */
export type Sign = {
  readonly effect: ToolEffect
  readonly from: 'name' | 'description' | 'schema'
  readonly evidence: string
  readonly weight: number
  /**
   * No amount of read evidence makes such a tool a read: at best it stays unknown. A tool that runs the statements it is given
   * can still promise to run only reading ones.
   */
  readonly forbids_read?: 'always' | 'unless_promised'
  readonly promises_read?: true
  /** A read needs one such sign: a verb that means by itself that the tool reads. */
  readonly firm?: true
  /** Firm only while the input is the data itself, not the id of something that is stored. */
  readonly works_out?: true
  /** A parameter takes the id of something that is stored. */
  readonly names_stored?: true
  /** Two of these together count as firm: something is computed, and returned. */
  readonly derives?: true
  readonly returns?: true
  /** Also applies to a read: what is read is a secret. */
  readonly of_a_read?: true
}
