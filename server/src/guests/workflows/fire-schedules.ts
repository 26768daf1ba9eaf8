import { Bug } from '../../kernel/contract/problems.ts'
import type { CronGateway } from './workflow-document.ts'
import { nextTime, parseSchedule } from './cron.ts'
import { isoTime } from './scope.ts'
import type { SchedulesEffect } from './schedules.ts'
import type { Perform, PerformersOf } from '../../kernel/runs/performer.ts'
import { startEvent } from './take-event.ts'
import type { TakeDeps } from './take-message.ts'

export type SchedulesDeps = TakeDeps & {
  /** How many minutes a time zone is ahead of UTC at a given time; undefined for an unknown zone. */
  readonly zoneOffset: (zone: string, at: number) => number | undefined
}

/** Sets the timers of a document's schedules, and starts what is due. What was missed while the gate was down fires once. */
export function schedulesPerformers(deps: SchedulesDeps): PerformersOf<SchedulesEffect> {
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

const RETRIED: readonly string[] = ['audit.unavailable', 'audit.in_doubt', 'gate.stopping']

function nextOf({ zoneOffset }: SchedulesDeps, { config }: CronGateway, since: number, after: number): number {
  const parsed = parseSchedule(config.schedule)
  if (!parsed.ok) throw new Bug('the schedule was checked when it was applied')
  return nextTime(parsed.value, after, (at) => zoneOffset(config.timezone, at) ?? 0, since)
}
