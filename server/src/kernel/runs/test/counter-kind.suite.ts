import type { JsonObject } from '../../contract/json.ts'
import type { RunEvent, RunKind } from '../../contract/run.ts'
import { asKind } from './with-runs.suite.ts'

/** A run that starts the effects an event names, counts the events it receives, and ends at `end`. */
export type Counter = {
  readonly asked: number
  readonly done: number
  readonly unknown: number
  readonly cancelled: number
  readonly rang: readonly string[]
  readonly received: readonly string[]
}
export const START: Counter = { asked: 0, done: 0, unknown: 0, cancelled: 0, rang: [], received: [] }

type CounterEffect = { readonly key: string; readonly kind: 'safe' | 'unsafe' | 'early'; readonly with: JsonObject }

export const counter: RunKind = asKind<Counter, RunEvent, CounterEffect>({
  kind: 'counter',
  effects: { safe: 'repeatable', unsafe: 'once', early: 'guarded' },
  step(state, event) {
    const next = { ...state, received: [...state.received, event.type] }
    switch (event.type) {
      case 'go': {
        const kinds = event['effects'] as readonly CounterEffect['kind'][]
        const effects = kinds.map((kind, at) => ({ key: `e${state.asked + at + 1}`, kind, with: {} }))
        return { state: { ...next, asked: state.asked + kinds.length }, effects }
      }
      case 'wait':
        return { state: next, effects: [], timers: event['timers'] as Record<string, number | null> }
      case 'timer':
        return {
          state: { ...next, rang: [...state.rang, typeof event['name'] === 'string' ? event['name'] : ''] },
          effects: [],
        }
      case 'effect.done':
        return { state: { ...next, done: state.done + 1 }, effects: [] }
      case 'effect.unknown':
        return { state: { ...next, unknown: state.unknown + 1 }, effects: [] }
      case 'effect.cancelled':
        return { state: { ...next, cancelled: state.cancelled + 1 }, effects: [] }
      case 'stop':
        return { state: next, effects: [], cancel: event['keys'] as readonly string[] }
      case 'bad':
        throw new Error('this step cannot be taken')
      default:
        return { state: next, effects: [], ...(event.type === 'end' ? { ends: 'done' as const, result: 'over' } : {}) }
    }
  },
})

export const go = (...effects: readonly string[]): RunEvent => ({ type: 'go', effects })
