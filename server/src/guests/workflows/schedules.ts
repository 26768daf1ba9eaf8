import type { DriverEvent, RunKind, Step } from '../../kernel/contract/run.ts'

/** The schedules of one version of a document: one timer each, as long as the version is active. */
export type Schedules = {
  readonly document: string
  readonly version: number
  readonly gateways: readonly string[]
  /** When the version was applied: intervals count from here. */
  readonly since: number
  /** How often each fired, which makes the key of each firing unique. */
  readonly fired: { readonly [gateway: string]: number }
}

export type SchedulesEvent =
  | DriverEvent
  | { readonly type: 'schedules.started' }
  /** The store was restored from a backup: what was due before `now` may have fired, so it does not fire again. */
  | { readonly type: 'schedules.restored'; readonly now: number }
  /** The next time; absent if the version is no longer active. */
  | { readonly type: 'effect.done'; readonly key: string; readonly gateway: string; readonly next_at?: number }

export type SchedulesEffect = {
  readonly key: string
  readonly kind: 'workflow_schedule' | 'workflow_fire'
  readonly with: {
    readonly document: string
    readonly version: number
    readonly gateway: string
    readonly since: number
    /**
     * The time that it was set for, which names the firing: one time of a schedule starts one run, whatever clocks say. For setting a
     * timer: the earliest time.
     */
    readonly due: number
  }
}

type Next = Step<Schedules, SchedulesEffect>

export const schedules: RunKind<Schedules, SchedulesEvent, SchedulesEffect> = {
  kind: 'workflow-schedules',
  // A firing is a delivery with its own id, which starts one run.
  effects: { workflow_schedule: 'repeatable', workflow_fire: 'repeatable' },
  step,
}

export const newSchedules = (start: Omit<Schedules, 'fired'>): Next => ({ state: { ...start, fired: {} }, effects: [] })

function step(state: Schedules, event: SchedulesEvent): Next {
  switch (event.type) {
    case 'run.cancel':
      return { state, effects: [], ends: 'cancelled' }
    case 'schedules.started':
      return { state, effects: state.gateways.map((gateway) => effectOf(state, 'workflow_schedule', gateway, 0, 0)) }
    case 'schedules.restored':
      return restart(state, event.now)
    case 'timer':
      return event.name === undefined ? { state, effects: [] } : fire(state, event.name, event.at ?? event.now)
    case 'effect.done':
      return event.next_at === undefined
        ? { state, effects: [], ends: 'done' }
        : { state, effects: [], timers: { [event.gateway]: event.next_at } }
    default:
      return { state, effects: [] }
  }
}

const fire = (state: Schedules, gateway: string, due: number): Next => counted(state, 'workflow_fire', gateway, due)

function counted(state: Schedules, kind: SchedulesEffect['kind'], gateway: string, due: number): Next {
  const count = (state.fired[gateway] ?? 0) + 1
  return {
    state: { ...state, fired: { ...state.fired, [gateway]: count } },
    effects: [effectOf(state, kind, gateway, due, count)],
  }
}

function restart(state: Schedules, now: number): Next {
  let next: Next = { state, effects: [] }
  for (const gateway of state.gateways) {
    const { state: counts, effects } = counted(next.state, 'workflow_schedule', gateway, now)
    next = { state: counts, effects: [...next.effects, ...effects] }
  }
  return next
}

function effectOf(
  { document, version, since }: Schedules,
  kind: SchedulesEffect['kind'],
  gateway: string,
  due: number,
  count: number,
): SchedulesEffect {
  return { key: `${document}@${version}/${gateway}/${count}`, kind, with: { document, version, gateway, since, due } }
}
