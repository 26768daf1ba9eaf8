import type { DriverEvent, RunKind, Step } from '../../kernel/contract/run.ts'
import { Bug } from '../../kernel/contract/problems.ts'
import type { CronGateway } from './workflow-document.ts'
import { nextTime, parseSchedule } from './cron.ts'
import { isoTime } from './scope.ts'
import type { Perform, PerformersOf } from '../../kernel/runs/performer.ts'
import { startEvent } from './take-event.ts'
import type { TakePorts } from './take-message.ts'

/** The schedules of one version of a document: one timer each, as long as the version is active. */
type Schedules = {
  readonly document: string
  readonly version: number
  readonly gateways: readonly string[]
  /** When the version was applied: intervals count from here. */
  readonly since: number
  /** How often each fired, which makes the key of each firing unique. */
  readonly fired: { readonly [gateway: string]: number }
}

type SchedulesEvent =
  | DriverEvent
  | { readonly type: 'schedules.started' }
  /** The store was restored from a backup: what was due before `now` may have fired, so it does not fire again. */
  | { readonly type: 'schedules.restored'; readonly now: number }
  /** The next time; absent if the version is no longer active. */
  | { readonly type: 'effect.done'; readonly key: string; readonly gateway: string; readonly next_at?: number }

type SchedulesEffect = {
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

export type SchedulesPorts = TakePorts & {
  /** How many minutes a time zone is ahead of UTC at a given time; undefined for an unknown zone. */
  readonly zoneOffset: (zone: string, at: number) => number | undefined
}

/** Sets the timers of a document's schedules, and starts what is due. What was missed while the gate was down fires once. */
export function schedulesPerformers(deps: SchedulesPorts): PerformersOf<SchedulesEffect> {
  const perform =
    (fires: boolean): Perform<SchedulesEffect> =>
    async ({ with: { document, version, gateway: name, since, due } }) => {
      const head = (await deps.documents.head(document))?.row
      const opened = await deps.documents.version(document, version)
      const gateway = opened?.document.gateways.find(
        (one): one is CronGateway => one.type === 'cron' && one.name === name,
      )
      if (head?.current !== version || opened === undefined || gateway === undefined)
        return { type: 'effect.done', gateway: name }
      if (fires) {
        const { event, message, data } = gateway.config
        const envelope = {
          source: name,
          type: event,
          ts: isoTime(due),
          payload: { message, ...(data === undefined ? {} : { data: JSON.parse(JSON.stringify(data)) as never }) },
        }
        const started = await startEvent(
          deps,
          { head, opened },
          envelope,
          JSON.stringify(['cron', document, version, name, due]),
        )
        if (!started.ok && RETRIED.includes(started.problem.code)) return 'later'
      }
      // The first time counts from when the version was applied, even if the gate was down in the meantime. INVARIANT: the result is later
      // than the time that has just fired, even if this clock is behind the clock that found it due.
      const after = Math.max(fires ? deps.clock() : since, due)
      return { type: 'effect.done', gateway: name, next_at: nextOf(deps, gateway, since, after) }
    }
  return { workflow_schedule: perform(false), workflow_fire: perform(true) }
}

const RETRIED: readonly string[] = ['audit.unavailable', 'audit.in_doubt', 'call.contended', 'gate.stopping']

function nextOf({ zoneOffset }: SchedulesPorts, { config }: CronGateway, since: number, after: number): number {
  const parsed = parseSchedule(config.schedule)
  if (!parsed.ok) throw new Bug('the schedule was checked when it was applied')
  return nextTime(parsed.value, after, (at) => zoneOffset(config.timezone, at) ?? 0, since)
}
