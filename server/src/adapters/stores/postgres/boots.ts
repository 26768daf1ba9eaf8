import { randomBytes } from 'node:crypto'
import type { Client, ClientConfig, QueryConfig } from 'pg'
import type { Liveness } from '../../../kernel/ports/liveness.ts'
import { ok, type Result } from '../../../kernel/contract/problems.ts'
import { connect, messageOf, unreachable, type PostgresAddress } from './connect.ts'
import { FUNCTIONS } from './functions.ts'
import { leaseClock } from './lease-clock.ts'
import { migrate } from './schema.ts'

export type JoinedBoot = Liveness & {
  /** The audit stream that only this boot appends to. */
  readonly stream: string
  /** Dead immediately, for everybody. */
  leave(): Promise<void>
}

export type BootsSetup = {
  readonly address: PostgresAddress
  /** Called once when another node declared this boot dead, because its lease had expired. */
  readonly onOwnDeath: (why: string) => void
  readonly onFault?: (error: Error) => void
  readonly tuning?: Partial<LeaseTuning>
}
export type LeaseTuning = { readonly lease_ms: number; readonly renew_ms: number }
export const LEASE: LeaseTuning = { lease_ms: 5_000, renew_ms: 1_000 }

const NAME = /^[0-9a-f]{16}$/

/** By the database's clock alone: the clocks of nodes may differ. */
const RENEW = `UPDATE boots SET alive_until = clock_timestamp() + $2::float8 * interval '1 millisecond'
  WHERE boot = $1 AND NOT is_dead AND alive_until > clock_timestamp()`
/** An expired lease of a boot that nobody declared dead: the database was unavailable, or its clock jumped. */
const RENEW_LATE = `UPDATE boots SET alive_until = clock_timestamp() + $2::float8 * interval '1 millisecond'
  WHERE boot = $1 AND NOT is_dead`
/** INVARIANT: under the writers' lock, so that nothing of a boot is stored after it was declared dead. */
const DECLARE_DEAD = `UPDATE boots SET is_dead = true WHERE boot = $1 AND NOT is_dead AND ($2 OR alive_until <= clock_timestamp())`
/** Includes nodes whose rows this one has not seen: what they leave behind is taken over when they die. */
const OTHERS = 'SELECT boot FROM boots WHERE NOT is_dead AND boot <> $1'
const LOOK = `SELECT boot, is_dead, alive_until <= clock_timestamp() AS is_over FROM boots WHERE boot = ANY($1)`

/** Boots that share a database. Each has a row with a lease, and renews it. */
export async function joinBoots(setup: BootsSetup): Promise<Result<JoinedBoot>> {
  const { address, onOwnDeath, onFault = () => undefined } = setup
  const { lease_ms, renew_ms } = { ...LEASE, ...setup.tuning }
  const boot = randomBytes(8).toString('hex')
  let client: Client | undefined
  const seen = new Set<string>()
  const dead = new Set<string>()
  const listeners = new Set<(boot: string) => void>()
  let isOwnDead = false
  const lease = leaseClock(lease_ms)
  let timer: NodeJS.Timeout | undefined
  let working: Promise<unknown> = Promise.resolve()

  const connected = async (): Promise<Client> => {
    if (client !== undefined) return client
    // INVARIANT: after an outage every node has renewed its lease before any other is steady, so no attempt lasts a whole lease.
    const made = await connect(address, 'lease', { connectionTimeoutMillis: lease_ms / 2 })
    made.once('end', () => {
      if (client === made) client = undefined
    })
    return (client = made)
  }
  /** One at a time on one connection. A broken connection is replaced by the next user. */
  const inTurn = <T>(work: (link: Client) => Promise<T>): Promise<T> => {
    const next = working.then(async () => {
      const link = await connected()
      try {
        return await work(link)
      } catch (error) {
        client = undefined
        void link.end().catch(() => undefined)
        throw error
      }
    })
    working = next.catch(() => undefined)
    return next
  }

  let stream = ''
  try {
    const migrated = await inTurn((link) => migrate(link, address.schema, FUNCTIONS))
    if (!migrated.ok) {
      await client?.end()
      return migrated
    }
    const asked = lease.ask()
    stream = await inTurn((link) => enter(link, boot, lease_ms))
    lease.granted(asked, true)
  } catch (error) {
    return unreachable(address, error)
  }

  function dieHere(why: string): void {
    if (isOwnDead) return
    isOwnDead = true
    clearInterval(timer)
    onOwnDeath(why)
  }

  function reportDeath(name: string): void {
    dead.add(name)
    if (!seen.delete(name)) return
    for (const listener of listeners) listener(name)
  }

  /** Which of these are not declared dead. Those with an expired lease are declared dead, if this node may do that now. */
  const lookAt = async (names: readonly string[]): Promise<ReadonlySet<string>> => {
    let found = await rowsOf(names)
    const overdue = found.filter(({ boot: name, is_dead, is_over }) => !is_dead && is_over && name !== boot)
    if (overdue.length > 0 && lease.isSteady()) {
      for (const { boot: name } of overdue) await declareDead(name, false)
      // A boot that renewed its lease in the meantime was not declared dead.
      found = await rowsOf(names)
    }
    const alive = new Set(found.flatMap(({ boot: name, is_dead }) => (is_dead ? [] : [name])))
    for (const name of names) if (!alive.has(name)) reportDeath(name)
    return alive
  }
  const rowsOf = (names: readonly string[]): Promise<readonly BootRow[]> =>
    inTurn(async (link) => (await link.query<BootRow>(LOOK, [names])).rows)

  const declareDead = (name: string, isLeaving: boolean): Promise<void> =>
    inTurn(async (link) => {
      await link.query('BEGIN')
      await link.query("SELECT pg_advisory_xact_lock(hashtext('sluice ' || current_schema()), 2)")
      // While it waited for the lock, the lease of this node may have expired, and that of the other one with it.
      if (isLeaving || lease.isSteady()) await link.query(DECLARE_DEAD, [name, isLeaving])
      await link.query('COMMIT')
    })

  const renewal = (text: string): QueryConfig & Pick<ClientConfig, 'query_timeout'> => ({
    text,
    values: [boot, lease_ms],
    query_timeout: lease_ms,
  })
  /** False if this boot was declared dead. */
  const renew = (): Promise<boolean> =>
    inTurn(async (link) => {
      for (const text of [RENEW, RENEW_LATE]) {
        const asked = lease.ask()
        const { rowCount } = await link.query(renewal(text))
        if (rowCount === 0) continue
        lease.granted(asked, text === RENEW_LATE)
        return true
      }
      return false
    })

  let isBeating = false
  const beat = async (): Promise<void> => {
    if (isOwnDead || isBeating) return
    isBeating = true
    try {
      if (!(await renew())) return dieHere('its lease ran out, and another node declared it dead')
      const others = await inTurn((link) => link.query<{ boot: string }>(OTHERS, [boot]))
      for (const { boot: name } of others.rows) if (!dead.has(name)) seen.add(name)
      if (seen.size > 0) await lookAt([...seen])
    } catch (error) {
      if (isOwnDead) return
      // The next beat tries again. Then it is known whether this boot was declared dead in the meantime.
      onFault(new Error(`the lease of this node could not be renewed: ${messageOf(error)}`))
    } finally {
      isBeating = false
    }
  }
  timer = setInterval(() => void beat(), renew_ms)
  timer.unref()

  return ok({
    boot,
    stream,
    async isAlive(name) {
      if (name === boot && isOwnDead) return false
      if (dead.has(name) || !NAME.test(name)) return false
      const alive = (await lookAt([name])).has(name)
      if (alive && name !== boot) seen.add(name)
      return alive
    },
    async others() {
      const found = await inTurn((link) => link.query<{ boot: string }>(OTHERS, [boot]))
      return found.rows.map(({ boot: name }) => name)
    },
    onDeath(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    mayAct: () => !isOwnDead && lease.isRunning(),
    async leave() {
      if (timer === undefined) return
      clearInterval(timer)
      timer = undefined
      isOwnDead = true
      // If the database cannot be reached, the lease ends by itself.
      await declareDead(boot, true).catch(() => undefined)
      await client?.end().catch(() => undefined)
    },
  })
}

/**
 * The prefix of the stream names of nodes. Releases whose heads had no MAC used `node-`: those streams are kept and never
 * continued, so that a head without a MAC is always somebody else's.
 */
const STREAM = 'gate-'

/**
 * Takes a lease, and the stream of a boot that was declared dead, or a new one. Declares nobody dead: after an outage others may
 * be about to renew their leases.
 * INVARIANT: under the writers' lock. What a dead boot still sends is not stored, so a stream has one writer.
 */
async function enter(link: Client, boot: string, lease_ms: number): Promise<string> {
  await link.query('BEGIN')
  await link.query("SELECT pg_advisory_xact_lock(hashtext('sluice ' || current_schema()), 2)")
  await link.query(
    `INSERT INTO boots (boot, alive_until) VALUES ($1, clock_timestamp() + $2::float8 * interval '1 millisecond')`,
    [boot, lease_ms],
  )
  const taken = await link.query<{ stream: string }>(
    `UPDATE streams SET holder = $1 WHERE number = (SELECT s.number FROM streams s LEFT JOIN boots b ON b.boot = s.holder
        WHERE s.stream LIKE '${STREAM}%' AND coalesce(b.is_dead, true) ORDER BY s.number LIMIT 1) RETURNING stream`,
    [boot],
  )
  const made = taken.rows[0] ?? (await newStream(link, boot))
  await link.query('COMMIT')
  return made.stream
}

async function newStream(link: Client, boot: string): Promise<{ readonly stream: string }> {
  const made = await link.query<{ stream: string }>(
    `INSERT INTO streams (stream, holder) SELECT '${STREAM}' || (count(*) + 1), $1 FROM streams WHERE stream LIKE '${STREAM}%' RETURNING stream`,
    [boot],
  )
  return made.rows[0] ?? { stream: 'main' }
}

type BootRow = { readonly boot: string; readonly is_dead: boolean; readonly is_over: boolean }
