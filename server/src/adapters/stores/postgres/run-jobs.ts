import { hash } from 'node:crypto'
import { PgBoss, type Db, type JobWithMetadata } from 'pg-boss'
import type { JobHandlers, RunJobs } from '../../../kernel/ports/jobs.ts'
import type { RunId } from '../../../kernel/contract/ids.ts'
import { ok, type Result } from '../../../kernel/contract/problems.ts'
import { connect, connectionTo, unreachable, type PostgresAddress } from './connect.ts'
import { fromPgText } from './pg-text.ts'

/** Wake-ups that are due immediately, and those for a time. */
const DRIVE = 'drive'
const TIMERS = 'timers'
/** Dead letters. */
const UNDRIVABLE = 'undrivable'

/** The node that committed a wake-up drives the run itself; the others take the job after this time. */
export const GRACE_SECONDS = 2
const LOOK_MS = 1_000
const TOUCH_MS = 4_000
const AT_ONCE = 64
/** The maximum number of active jobs per node. */
const MOST_ACTIVE = 512

const QUEUE = {
  policy: 'stately',
  deadLetter: UNDRIVABLE,
  heartbeatSeconds: 10,
  // A run may wait long for a person's answer or a slow tool; heartbeats tell whether its worker is alive.
  expireInSeconds: 23 * 60 * 60,
  retryLimit: 5,
  retryDelay: 2,
  retryBackoff: true,
  deleteAfterSeconds: 60,
} as const

export type OpenedJobs = {
  readonly jobs: RunJobs
  /** The database function that a commit calls to enqueue and remove jobs. */
  readonly enqueue: string
  close(): Promise<void>
}

/** The schema of pg-boss beside ours. Postgres names have at most 63 bytes, pg-boss's at most 50. */
export function jobsSchema(schema: string): string {
  const name = schema.length <= 40 ? schema : `${schema.slice(0, 27)}_${hash('sha256', schema).slice(0, 12)}`
  return `${name}_jobs`
}

/** Installs pg-boss if it is missing, with our queues and the function that commits call. */
export async function openRunJobs(
  address: PostgresAddress,
  onFault: (error: Error) => void,
): Promise<Result<OpenedJobs>> {
  const schema = jobsSchema(address.schema)
  const { connectionString, connectionTimeoutMillis } = connectionTo(address, 'jobs')
  const boss = new PgBoss({
    connectionString: connectionString ?? '',
    connectionTimeoutMillis: connectionTimeoutMillis ?? 0,
    application_name: 'sluice jobs',
    schema,
    max: 2,
    superviseIntervalSeconds: 5,
    monitorIntervalSeconds: 5,
    cronMonitorIntervalSeconds: 10,
    cronWorkerIntervalSeconds: 5,
  })
  boss.on('error', onFault)
  try {
    await boss.start()
    await boss.createQueue(UNDRIVABLE, { policy: 'stately', deleteAfterSeconds: 60 })
    for (const queue of [DRIVE, TIMERS]) await boss.createQueue(queue, QUEUE)
    const enqueue = await makeFunction(address, schema, await insertStatements(boss))
    return ok({ jobs: runJobs(boss, onFault), enqueue, close: () => boss.stop({ graceful: false }) })
  } catch (error) {
    await boss.stop({ graceful: false }).catch(() => undefined)
    return unreachable(address, error)
  }
}

/** pg-boss's own statements for each queue, to be executed in our transactions. Their one parameter is a list of jobs. */
async function insertStatements(boss: PgBoss): Promise<readonly string[]> {
  const statements: string[] = []
  const db: Db = {
    async executeSql(text) {
      statements.push(text)
      return { rows: [] }
    },
  }
  for (const queue of [DRIVE, TIMERS]) await boss.insert(queue, [{ singletonKey: 'run' }], { db })
  return statements
}

/**
 * Takes the runs whose waiting jobs are deleted, then new jobs for now and for a time, each as a JSON text or null. Named after
 * its text, so that nodes of two releases can use one database.
 */
async function makeFunction(address: PostgresAddress, schema: string, inserts: readonly string[]): Promise<string> {
  const [drive = '', timers = ''] = inserts
  const body = `
BEGIN
  IF $1 IS NOT NULL THEN
    DELETE FROM ${schema}.job j USING json_array_elements_text($1::json) x
      WHERE j.name IN ('${DRIVE}', '${TIMERS}') AND j.state IN ('created', 'retry') AND j.state <= 'active'
        AND j.policy = 'stately' AND coalesce(j.singleton_key, '') = x;
  END IF;
  IF $2 IS NOT NULL THEN ${drive.replaceAll('$1', '$2')}; END IF;
  IF $3 IS NOT NULL THEN ${timers.replaceAll('$1', '$3')}; END IF;
END`
  const name = `enqueue_${hash('sha256', body).slice(0, 12)}`
  const client = await connect(address, 'jobs')
  try {
    await client.query('BEGIN')
    await client.query("SELECT pg_advisory_xact_lock(hashtext('sluice ' || current_schema()), 3)")
    await client.query(
      `CREATE OR REPLACE FUNCTION ${name}(text, text, text) RETURNS void LANGUAGE plpgsql AS $sluice$${body}$sluice$`,
    )
    await client.query('COMMIT')
  } finally {
    await client.end().catch(() => undefined)
  }
  return name
}

/** pg-boss does not accept years of five digits. */
const LAST_TIME = Date.UTC(9999, 0)

/** A wake-up as pg-boss takes it. */
export function jobOf(run: string, at: number): { readonly queue: 'drive' | 'timers'; readonly job: object } {
  const job = { singletonKey: run, data: { run } }
  return at === 0
    ? { queue: DRIVE, job: { ...job, startAfter: String(GRACE_SECONDS) } }
    : {
        queue: TIMERS,
        job: {
          ...job,
          startAfter: new Date(Math.min(Math.max(at, 0) + GRACE_SECONDS * 1_000, LAST_TIME)).toISOString(),
        },
      }
}

type RunJob = JobWithMetadata<{ readonly run: string }>

function runJobs(boss: PgBoss, onFault: (error: Error) => void): RunJobs {
  const active = new Map<string, RunJob>()
  const guarded = (work: () => Promise<unknown>) => work().catch((error: unknown) => onFault(error as Error))

  const handle = async (job: RunJob, { drive, giveUp }: JobHandlers): Promise<void> => {
    const run = fromPgText(job.data.run) as RunId
    active.set(job.id, job)
    try {
      if (job.name === UNDRIVABLE) await giveUp(run, 'its driver failed or ended repeatedly')
      else await drive(run)
      await boss.complete(job.name, job)
    } catch (error) {
      await guarded(() => boss.fail(job.name, job, { message: error instanceof Error ? error.message : String(error) }))
    } finally {
      active.delete(job.id)
    }
  }
  const look = async (handlers: JobHandlers): Promise<void> => {
    for (const queue of [DRIVE, TIMERS, UNDRIVABLE]) {
      const batchSize = Math.min(AT_ONCE, MOST_ACTIVE - active.size)
      if (batchSize <= 0) return
      const found = await boss.fetch<RunJob['data']>(queue, { batchSize, includeMetadata: true })
      for (const job of found) void handle(job, handlers)
    }
  }
  const touch = async (): Promise<void> => {
    for (const queue of [DRIVE, TIMERS]) {
      const held = [...active.values()].filter(({ name }) => name === queue)
      if (held.length > 0) await boss.touch(queue, held)
    }
  }

  return {
    work(handlers) {
      let isStopped = false
      let looking: Promise<unknown> = Promise.resolve()
      const again = () => {
        if (!isStopped) looking = guarded(() => look(handlers)).then(() => void setTimeout(again, LOOK_MS).unref())
      }
      again()
      const touching = setInterval(() => void guarded(touch), TOUCH_MS)
      touching.unref()
      return async () => {
        isStopped = true
        clearInterval(touching)
        await looking
        // Incomplete jobs go to another node immediately, not after their heartbeats are missed.
        for (const job of active.values()) await guarded(() => boss.fail(job.name, job, { message: 'its node stops' }))
      }
    },
    async every(name, cron, work) {
      await boss.createQueue(name, {
        policy: 'stately',
        expireInSeconds: 60 * 60,
        retryLimit: 1,
        deleteAfterSeconds: 3_600,
      })
      await boss.schedule(name, cron)
      await boss.work(name, { pollingIntervalSeconds: 5 }, work)
    },
  }
}
