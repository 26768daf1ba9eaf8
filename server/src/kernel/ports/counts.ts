/** A count after an addition, and how much longer its window lasts. */
export type Counted = { readonly count: number; readonly left_ms: number }

/**
 * Counts that end with their window, shared by all nodes of a store. A window begins with the first addition and has a fixed
 * length.
 * INVARIANT: additions of all nodes are counted one after the other, each exactly once. A count is never below zero.
 */
export interface Counts {
  /** Adds to all of these together; the answers are in the same order. */
  add(parts: readonly { readonly name: string; readonly by: number }[], window_ms: number): Promise<readonly Counted[]>
}
