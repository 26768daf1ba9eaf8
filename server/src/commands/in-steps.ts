import type { Breathe } from './ports/runtime.ts'

/** Does work that comes in steps, and lets everybody else run between them. */
export async function inSteps<T>(breathe: Breathe | undefined, steps: Generator<void, T>): Promise<T> {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
    await breathe?.()
  }
}
