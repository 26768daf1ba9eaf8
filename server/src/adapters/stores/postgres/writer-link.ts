import { hash } from 'node:crypto'
import type { Client, QueryResult } from 'pg'
import { Bug, ok, type Result } from '../../../kernel/contract/problems.ts'
import { emptyHead, type Head } from '../../../kernel/audit/chain.ts'
import { divergence } from '../audit-divergence.ts'
import {
  batchResults,
  type AskedReply,
  type BatchLink,
  type BatchReply,
  type Divergence,
  type EngineFault,
  type GroupResult,
  type Tail,
} from '../batch-link.ts'
import { KEYS_CHANGED, NO_KEYS, type OnceSum } from '../once-sum.ts'
import type { RowMacs } from '../row-mac.ts'
import { connect, isSurelyUndone, messageOf, stateOf, unreachable, type PostgresAddress } from './connect.ts'
import { decideGroup, type DecidedGroup, type Known } from './decide-group.ts'
import { COMMIT, FUNCTIONS, LOOK, STATE } from './functions.ts'
import {
  groupJson,
  headMac,
  keysAfter,
  knownFrom,
  lookJson,
  withChanged,
  type ChangedByOthers,
  type GroupOf,
  type Look,
} from './group-json.ts'
import { openedSum, purgeKeys } from './once-keys.ts'
import type { PackedCommit } from './packed-change.ts'
import { pgText } from './pg-text.ts'
import { remembered } from './remembered.ts'
import { migrate } from './schema.ts'

export type LinkSetup = {
  readonly address: PostgresAddress
  /** Identifies this process among all writers. It stays the same across new connections. */
  readonly writer: string
  readonly boot: string
  readonly stream: string
  readonly macs: RowMacs
  /** Nobody else appends to the stream. */
  readonly alone: boolean
  /** Where the stream ended when the previous connection last answered. */
  readonly last?: Tail | undefined
  /** An entry that an earlier process is known to have stored. */
  readonly floor?: Tail | undefined
  /** The function that enqueues jobs, if wake-ups are also jobs. */
  readonly enqueue?: string | undefined
  /** A later connection of a writer that has been announced. */
  readonly isAgain?: boolean
}

const MOST_COMMITS = 512
const MOST_CHARACTERS = 8_388_608

const PURGE_EVERY_MS = 10 * 60_000
/** Remembering longer than requested is always allowed; it covers clocks that disagree. */
const PURGE_GRACE_MS = 60 * 60_000
const WRITER_KEPT_MS = 7 * 24 * 60 * 60_000

const sha256 = (text: string) => hash('sha256', text)
const CALL_COMMIT = { name: COMMIT.name, text: `SELECT ${COMMIT.name}($1::jsonb) AS changed` }
/** How often a group is decided again because other nodes changed accounts or journals meanwhile. After that it takes the lock. */
const TRIES = 3

/** Connects, applies missing migrations, and announces this writer. */
export async function linkWriter(setup: LinkSetup): Promise<Result<BatchLink<PackedCommit>>> {
  const { address } = setup
  let client: Client
  try {
    client = await connect(address, 'writer')
  } catch (error) {
    return unreachable(address, error)
  }
  try {
    const ready = setup.isAgain === true ? ok(undefined) : await prepare(client, setup)
    if (!ready.ok) {
      await client.end()
      return ready
    }
    await client.query(DURABLE)
  } catch (error) {
    await client.end().catch(() => undefined)
    return unreachable(address, error)
  }
  return ok(batchLink(client, setup))
}

/** Answered commits are durable, whatever the database's default is. */
const DURABLE = `SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'`

async function prepare(client: Client, { address, writer, stream, macs }: LinkSetup): Promise<Result<void>> {
  const migrated = await migrate(client, address.schema, FUNCTIONS)
  if (!migrated.ok) return migrated
  await client.query('INSERT INTO streams (stream, mac) VALUES ($1, $2) ON CONFLICT (stream) DO UPDATE SET mac = $2', [
    pgText(stream),
    Buffer.from(macs.stream(stream)).toString('base64'),
  ])
  const announced = `INSERT INTO writers (id, batch, done, exceptions, at) VALUES ($1, 0, 0, '[]', $2)`
  await client.query(announced, [writer, Date.now()])
  return ok(undefined)
}

type Stored = { readonly decided: DecidedGroup; readonly keys: OnceSum }

/** What this connection knows about the end of its stream. */
type KnownTail = { last: Head; keys: OnceSum; isSame: boolean; inDoubt: boolean; diverged?: Divergence | undefined }

function batchLink(client: Client, setup: LinkSetup): BatchLink<PackedCommit> {
  const { macs, writer, boot, stream, enqueue } = setup
  const memory = remembered(macs)
  const floor = setup.floor?.stream === stream ? setup.floor : undefined
  const tail: KnownTail = {
    last: setup.last ?? emptyHead(stream),
    keys: { ...NO_KEYS, n: setup.last?.once ?? 0 },
    isSame: true,
    inDoubt: true,
  }
  let purgedAt = Number.NEGATIVE_INFINITY

  const guess: Known = {
    version: () => undefined,
    once: () => undefined,
    account: (id) => memory.account(id),
    last: (run) => memory.last(run),
    get head() {
      return tail.last
    },
    get keys() {
      return tail.keys
    },
    get isSameAudit() {
      return tail.isSame
    },
  }

  /** What is written, and the sum of the keys that is stored then. */
  const statementOf = (decided: DecidedGroup, group: GroupOf, head: Head, known: OnceSum) => {
    const keys = keysAfter(decided.plan, known, macs)
    return { json: groupJson(decided, group, head, { known, next: keys }, macs), stored: { decided, keys } }
  }

  /** Optimistically, assuming that everything is as this node left it. Undefined if it is not. */
  const tryWithoutLock = async (commits: readonly PackedCommit[], group: GroupOf): Promise<Stored | undefined> => {
    // The first group after a connection was made compares the end of the stream.
    if (tail.inDoubt) return undefined
    try {
      let known: Known | undefined = guess
      for (let tries = 0; known !== undefined && tries < TRIES; tries += 1) {
        const decided = decideGroup(commits, known, sha256)
        if (decided === undefined) return undefined
        const { json, stored } = statementOf(decided, group, tail.last, tail.keys)
        const { rows } = await client.query<{ changed: ChangedByOthers | null }>({ ...CALL_COMMIT, values: [json] })
        const changed = rows[0]?.changed ?? null
        if (changed === null) return stored
        known = withChanged(known, changed, macs)
      }
      return undefined
    } catch (error) {
      if (stateOf(error) !== STATE.CHANGED) throw error
      // Other nodes write the same accounts or journals, so the rest of what is remembered is probably old too.
      memory.forget()
      return undefined
    }
  }

  /**
   * Reads, decides and writes while nobody else writes. Two round trips: the transaction begins with the statement that reads, and
   * ends with the one that writes. If that one fails, the rest of it is not executed.
   */
  const writeLocked = async (commits: readonly PackedCommit[], group: GroupOf): Promise<Stored> => {
    try {
      const known = setup.last === undefined && tail.inDoubt && tail.last.seq === 0 ? undefined : tail.last
      const asked = client.escapeLiteral(lookJson(commits, tail.last, floor?.seq))
      const begun = await client.query(`BEGIN; SELECT ${LOOK.name}(${asked}::jsonb) AS found`)
      // Several statements in one query have a list of results.
      const [, found] = begun as unknown as readonly QueryResult<{ found: Look }>[]
      const look = found?.rows[0]?.found
      if (look === undefined) throw new Bug('the function found nothing at all')
      const last = headOf(stream, look.last)
      const named = headOf(stream, look.named)
      const differs = divergence(
        { alone: setup.alone, last: known, floor, inDoubt: tail.inDoubt },
        {
          named,
          last,
          hashAt: (seq) => (seq === 0 ? emptyHead(stream).hash : seq === floor?.seq ? look.floor : look.at),
          genuine: look.named === null || look.named[2] === headMac(macs, named),
        },
      )
      const keys = keysIn(look)
      tail.diverged ??= differs ?? keys.diverged
      const decided = decideGroup(commits, knownFrom(look, macs, last, keys.stored, differs === undefined), sha256)
      if (decided === undefined) throw new Bug('a group could not be decided with everything known')
      const { json, stored } = statementOf(decided, { ...group, isFollowing: true }, last, keys.stored)
      await client.query(`SELECT ${COMMIT.name}(${client.escapeLiteral(json)}::jsonb); COMMIT`)
      return stored
    } catch (error) {
      if (isSurelyUndone(error)) await client.query('ROLLBACK')
      throw error
    }
  }

  /** The stored sum of this stream's keys. One that is older than what this node knows is reported. */
  const keysIn = (look: Look): { readonly stored: OnceSum; readonly diverged?: Divergence } => {
    const found = openedSum(macs, stream, look.keys)
    const least = Math.max(tail.keys.n, floor?.once ?? 0)
    if (found !== undefined && found.n >= least) return { stored: found }
    // The function expects the stored number; the comparison of all keys repairs the sum after an admin accepted it.
    return {
      stored: found ?? { n: look.keys?.[0] ?? 0, sum: 0n },
      diverged: { stream, seq: 0, says: KEYS_CHANGED },
    }
  }

  const writeGroup = async (commits: readonly PackedCommit[], group: GroupOf): Promise<BatchReply> => {
    try {
      const { decided, keys } = (await tryWithoutLock(commits, group)) ?? (await writeLocked(commits, group))
      tail.last = decided.plan.head
      tail.keys = keys
      tail.isSame = true
      tail.inDoubt = false
      memory.note(decided.plan)
      if (group.purge !== undefined) purgedAt = group.now
      const { diverged } = tail
      tail.diverged = undefined
      return { outcomes: decided.outcomes, tail: { ...tail.last, once: keys.n }, diverged }
    } catch (error) {
      // The session has ended, or the database does not know: those who wait are in doubt.
      if (!isSurelyUndone(error)) {
        void client.end().catch(() => undefined)
        throw error
      }
      memory.forget()
      return { outcomes: commits.map(() => 'unavailable'), fault: faultOf(error) }
    }
  }

  const purgeAt = (now: number) =>
    now - purgedAt < PURGE_EVERY_MS ? undefined : { until: now - PURGE_GRACE_MS, writers: now - WRITER_KEPT_MS }

  return {
    async send({ batch, commits, now }) {
      const replies: BatchReply[] = []
      const before: GroupResult[] = []
      for (const group of groupsOf(commits)) {
        const of: GroupOf = { writer, boot, batch, before, now, isFollowing: false, purge: purgeAt(now), enqueue }
        const reply = await writeGroup(group, of)
        replies.push(reply)
        before.push(...reply.outcomes.filter((outcome) => outcome !== 'in_doubt'))
        // A group that could not be stored ends the batch: the numbers of what follows would not match.
        if (reply.fault !== undefined) break
        if (of.purge !== undefined) await purgeKeys(client, macs, stream, of.purge.until)
      }
      const outcomes = replies.flatMap((reply) => reply.outcomes)
      const rest = commits.slice(outcomes.length).map(() => 'unavailable' as const)
      return {
        outcomes: [...outcomes, ...rest],
        fault: replies.find(({ fault }) => fault)?.fault,
        tail: replies.findLast((reply) => reply.tail)?.tail,
        diverged: replies.find(({ diverged }) => diverged)?.diverged,
      }
    },
    ask: (asked) => askAbout(client, writer, asked),
    async end() {
      await client.end().catch(() => undefined)
    },
  }
}

/**
 * INVARIANT: answers only after the number was closed, under the lock: a statement that is still on its way in an old connection
 * writes nothing any more.
 */
async function askAbout(
  client: Client,
  writer: string,
  { ask, count, now }: { readonly ask: number; readonly count: number; readonly now: number },
): Promise<AskedReply> {
  try {
    await client.query('BEGIN')
    await client.query("SELECT pg_advisory_xact_lock(hashtext('sluice ' || current_schema()), 2)")
    const found = await client.query<{ batch: number; done: number; exceptions: string }>(
      'SELECT batch, done, exceptions FROM writers WHERE id = $1',
      [writer],
    )
    const row = found.rows[0]
    const isThis = row !== undefined && row.batch === ask
    await client.query(
      `INSERT INTO writers (id, batch, done, exceptions, at) VALUES ($1, $2, 0, '[]', $3)
        ON CONFLICT (id) DO UPDATE SET batch = $2, at = $3, done = CASE WHEN $4 THEN writers.done ELSE 0 END,
        exceptions = CASE WHEN $4 THEN writers.exceptions ELSE '[]' END, asked = $2`,
      [writer, ask, now, isThis],
    )
    await client.query('COMMIT')
    return { outcomes: batchResults(count, isThis ? row.done : 0, isThis ? row.exceptions : '[]') }
  } catch (error) {
    if (!isSurelyUndone(error)) {
      void client.end().catch(() => undefined)
      throw error
    }
    await client.query('ROLLBACK')
    return { fault: faultOf(error) }
  }
}

function* groupsOf(commits: readonly PackedCommit[]): Generator<readonly PackedCommit[]> {
  let group: PackedCommit[] = []
  let size = 0
  for (const commit of commits) {
    if (group.length >= MOST_COMMITS || (group.length > 0 && size + commit.size > MOST_CHARACTERS)) {
      yield group
      group = []
      size = 0
    }
    group.push(commit)
    size += commit.size
  }
  yield group
}

const headOf = (stream: string, found: readonly [number, string, ...unknown[]] | null): Head =>
  found === null ? emptyHead(stream) : { stream, seq: found[0], hash: found[1] }

function faultOf(error: unknown): EngineFault {
  const code = stateOf(error)
  return code === undefined ? { says: messageOf(error) } : { says: messageOf(error), code: `Postgres ${code}` }
}
