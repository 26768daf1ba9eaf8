import type { RunId } from '../../contract/ids.ts'
import type { Json, JsonObject } from '../../contract/json.ts'
import type { ChildRun, RunEvent, RunKind, Step } from '../../contract/run.ts'
import { asKind } from './with-runs.suite.ts'

/**
 * A run with random behaviour from a generator in its state, so that it can be replayed: parallel effects, timers set, moved and
 * cleared, effects cancelled, children started. It keeps a list of everything it requested and received.
 */
export type Chance = {
  readonly id: RunId
  readonly seed: number
  /** Effects, timers and children that it may still ask for. */
  readonly budget: number
  readonly depth: number
  readonly asked: readonly string[]
  readonly ended: readonly string[]
  readonly timers: Readonly<Record<string, string>>
  readonly settings: number
  readonly rang: readonly string[]
  readonly given_up: readonly string[]
  readonly children: readonly string[]
  readonly children_ended: readonly string[]
  readonly pings: readonly number[]
}

export const chanceState = (id: RunId, seed: number, budget: number, depth: number): Chance => ({
  id,
  seed,
  budget,
  depth,
  asked: [],
  ended: [],
  timers: {},
  settings: 0,
  rang: [],
  given_up: [],
  children: [],
  children_ended: [],
  pings: [],
})

export const EFFECTS = { twice: 'repeatable', single: 'once' } as const

type ChanceEffect = { readonly key: string; readonly kind: keyof typeof EFFECTS; readonly with: JsonObject }

export const chance: RunKind = asKind<Chance & Json, RunEvent, ChanceEffect>({
  kind: 'chance',
  effects: EFFECTS,
  step: (state, event) => act(withReceived(state, event)) as Step<Chance & Json, ChanceEffect>,
})

const textIn = (event: RunEvent, name: string): string => (typeof event[name] === 'string' ? event[name] : '')

function withReceived(state: Chance, event: RunEvent): Chance {
  const { type } = event
  if (type === 'ping') return { ...state, pings: [...state.pings, Number(event['number'])] }
  if (type === 'child.ended') return { ...state, children_ended: [...state.children_ended, textIn(event, 'run_id')] }
  if (type.startsWith('effect.')) return { ...state, ended: [...state.ended, `${textIn(event, 'key')} ${type}`] }
  if (type !== 'timer') return state
  const { [textIn(event, 'name')]: setting, ...timers } = state.timers
  return { ...state, timers, rang: [...state.rang, setting ?? `${textIn(event, 'name')} was not set`] }
}

/** A linear congruential generator: the next seed, and a number below `below`. */
function roll(state: Chance, below: number): [Chance, number] {
  const seed = (Math.imul(state.seed, 1_664_525) + 1_013_904_223) >>> 0
  return [{ ...state, seed }, Math.floor((seed / 2 ** 32) * below)]
}

type Draft = {
  state: Chance
  effects: object[]
  timers: Record<string, number | null>
  cancel: string[]
  start: ChildRun[]
}

function act(first: Chance): object {
  const draft: Draft = { state: first, effects: [], timers: {}, cancel: [], start: [] }
  const [rolled, acts] = roll(first, 4)
  draft.state = rolled
  for (let n = 0; n < acts && draft.state.budget > 0; n += 1) actOnce(draft)
  const { state } = draft
  const isOver =
    state.budget === 0 &&
    state.asked.length === state.ended.length &&
    Object.keys(state.timers).length === 0 &&
    state.children.length === state.children_ended.length
  const idle =
    state.asked.length === state.ended.length && draft.start.length === 0 && Object.keys(state.timers).length === 0
  // It always has something left to wait for.
  if (!isOver && idle && state.children.length === state.children_ended.length) setTimer(draft, 'a')
  return { ...draft, waits_for: 'chance', ...(isOver ? { ends: 'done' } : {}) }
}

function actOnce(draft: Draft): void {
  const [state, choice] = roll({ ...draft.state, budget: draft.state.budget - 1 }, 10)
  draft.state = state
  const open = state.asked.filter((key) => !state.ended.some((end) => end.startsWith(`${key} `)))
  if (choice < 5) return ask(draft, choice < 3 ? 'single' : 'twice')
  if (choice < 8) return setTimer(draft, choice === 5 ? 'a' : 'b')
  if (choice === 8 && state.depth > 0) return startChild(draft)
  const [cancelled] = open
  if (cancelled !== undefined) draft.cancel.push(cancelled)
}

function ask(draft: Draft, kind: keyof typeof EFFECTS): void {
  const key = `${draft.state.id}/${kind}/${draft.state.asked.length}`
  draft.effects.push({ key, kind, with: {} })
  draft.state = { ...draft.state, asked: [...draft.state.asked, key] }
}

/** A timer that is set again moves: its former setting never fires. */
function setTimer(draft: Draft, name: string): void {
  const [state, ms] = roll(draft.state, 40)
  const setting = `${name} ${state.settings}`
  const former = state.timers[name]
  draft.timers[name] = 1_000 + ms * 7 + state.rang.length * 50
  draft.state = {
    ...state,
    settings: state.settings + 1,
    timers: { ...state.timers, [name]: setting },
    given_up: former === undefined ? state.given_up : [...state.given_up, former],
  }
}

function startChild(draft: Draft): void {
  const [state, seed] = roll(draft.state, 2 ** 31)
  const number = state.children.length
  const run_id: RunId = `run_${(BigInt(`0x${state.id.slice(4)}`) * 16n + BigInt(number)).toString(16).padStart(16, '0')}`
  draft.start.push({
    run_id,
    kind: 'chance',
    state: chanceState(run_id, seed, 4, state.depth - 1),
    event: { type: 'started' },
  })
  draft.state = { ...state, children: [...state.children, run_id] }
}
