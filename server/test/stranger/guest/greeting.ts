import type { DriverEvent, RunKind } from '../../kernel/contract/run.ts'
import { runKindEntry } from '../../kernel/runs/performer.ts'

export type Greeting = { readonly name: string; readonly said?: string }
type GreetingEvent =
  | DriverEvent
  | { readonly type: 'greeting.asked' }
  | { readonly type: 'effect.done'; readonly key: string; readonly said: string }
type GreetingEffect = { readonly key: string; readonly kind: 'greet'; readonly with: { readonly name: string } }

export const greeting: RunKind<Greeting, GreetingEvent, GreetingEffect> = {
  kind: 'greeting',
  effects: { greet: 'repeatable' },
  step(state, event) {
    if (event.type === 'greeting.asked')
      return { state, effects: [{ key: 'greet', kind: 'greet', with: { name: state.name } }] }
    if (event.type === 'effect.done')
      return { state: { ...state, said: event.said }, effects: [], ends: 'done', result: { said: event.said } }
    return { state, effects: [], ...(event.type === 'run.cancel' ? { ends: 'cancelled' as const } : {}) }
  },
}

export const greetingKind = runKindEntry(greeting, {
  performers: () => ({
    greet: async ({ with: { name } }) => ({ type: 'effect.done', said: `hello ${name}` }),
  }),
})
