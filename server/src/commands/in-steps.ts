import type { Breathe } from './ports/runtime.ts'

/** Does work in steps, and lets the event loop run between them. Work of a single step is done synchronously, without a promise. */
export function inSteps<T>(breathe: Breathe | undefined, steps: Generator<void, T>): T | Promise<T> {
  const { done, value } = steps.next()
  return done === true ? value : goOn(breathe, steps)
}

async function goOn<T>(breathe: Breathe | undefined, steps: Generator<void, T>): Promise<T> {
  for (;;) {
    await breathe?.()
    const { done, value } = steps.next()
    if (done === true) return value
  }
}
