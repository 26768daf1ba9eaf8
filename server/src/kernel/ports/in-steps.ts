import type { YieldWhenDue } from './runtime.ts'

/** Does work in steps, and lets the event loop run between them. Work of a single step is done synchronously, without a promise. */
export function inSteps<T>(yieldWhenDue: YieldWhenDue | undefined, steps: Generator<void, T>): T | Promise<T> {
  const { done, value } = steps.next()
  return done === true ? value : goOn(yieldWhenDue, steps)
}

async function goOn<T>(yieldWhenDue: YieldWhenDue | undefined, steps: Generator<void, T>): Promise<T> {
  for (;;) {
    await yieldWhenDue?.()
    const { done, value } = steps.next()
    if (done === true) return value
  }
}
