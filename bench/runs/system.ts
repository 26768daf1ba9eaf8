/** Something that carries out durable runs. */
export type RunSystem = {
  /** The store that the steps are written to, and its durability. */
  readonly store: string
  /** One run from its start to its end: `STEPS` steps, each durable before the next one begins. Resolves with its result. */
  run(): Promise<number>
  close(): Promise<void>
}

export const STEPS = 10

/** What one step does: next to nothing, so that only the system's own work is measured. */
export const doStep = (done: number): number => done + 1
