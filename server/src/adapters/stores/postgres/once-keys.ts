import type { Client } from 'pg'
import { keyTotals, type KeyTotals } from '../compare-keys.ts'
import { addTerms, NO_KEYS, withoutKeys, type OnceSum } from '../once-sum.ts'
import type { RowMacs } from '../row-mac.ts'
import { isSurelyUndone } from './connect.ts'
import { fromPgText, pgText } from './pg-text.ts'

/** As in functions.ts: nobody else writes until the transaction ends. */
const LOCK = "SELECT pg_advisory_xact_lock(hashtext('sluice ' || current_schema()), 2)"
const AT_ONCE = 500
const MOST_PURGED = 1_000

const bytesIn = (text: string): Uint8Array => Buffer.from(text, 'base64')
const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

/** A stored sum as the database's functions give it. */
export type SumParts = readonly [n: number, masked: string, mac: string]

/** Undefined if no gate with this key stored it. */
export function openedSum(macs: RowMacs, stream: string, parts: SumParts | null): OnceSum | undefined {
  if (parts === null) return NO_KEYS
  const [n, masked, mac] = parts
  const sum = macs.openSum(stream, n, { masked: bytesIn(masked), mac: bytesIn(mac) })
  return sum === undefined ? undefined : { n, sum }
}

export function sumParts(macs: RowMacs, stream: string, sum: OnceSum): SumParts {
  const { masked, mac } = macs.sealSum(stream, sum)
  return [sum.n, textOf(masked), textOf(mac)]
}

const WRITE_SUM = `INSERT INTO once_sums (stream, n, masked, mac) VALUES ($1, $2, $3, $4)
  ON CONFLICT (stream) DO UPDATE SET n = excluded.n, masked = excluded.masked, mac = excluded.mac`
export const writeSum = (client: Client, macs: RowMacs, stream: string, sum: OnceSum) =>
  client.query(WRITE_SUM, [pgText(stream), ...sumParts(macs, stream, sum)])

/** Either all of it is stored, or nothing. */
async function inTransaction<T>(client: Client, begin: string, work: () => Promise<T>): Promise<T> {
  await client.query(begin)
  try {
    const done = await work()
    await client.query('COMMIT')
    return done
  } catch (error) {
    if (isSurelyUndone(error)) await client.query('ROLLBACK')
    throw error
  }
}

/** Deletes keys that expired, and takes them out of the sum. A key that somebody else changed stays. */
export async function purgeKeys(client: Client, macs: RowMacs, stream: string, before: number): Promise<void> {
  const expired = await client.query('SELECT 1 FROM once WHERE until < $1 AND mac IS NOT NULL LIMIT 1', [before])
  if (expired.rows.length === 0) return
  await inTransaction(client, 'BEGIN', async () => {
    await client.query(LOCK)
    const found = await client.query<{ key: string; until: number; mac: string }>(
      'SELECT key, until, mac FROM once WHERE until < $1 AND mac IS NOT NULL ORDER BY until LIMIT $2',
      [before, MOST_PURGED],
    )
    const held = await client.query<{ n: number; masked: string; mac: string }>(
      'SELECT n, masked, mac FROM once_sums WHERE stream = $1',
      [pgText(stream)],
    )
    const [row] = held.rows
    const sum = openedSum(macs, stream, row === undefined ? null : [row.n, row.masked, row.mac])
    // A sum that somebody else wrote is reported when the keys are compared.
    if (sum === undefined) return
    const genuine = found.rows.flatMap(({ key, until, mac }) => {
      const own = macs.once(fromPgText(key), until)
      return mac === textOf(own.mac) ? [{ key, term: own.term }] : []
    })
    await client.query("SELECT set_config('sluice.purges', 'yes', true)")
    await client.query('DELETE FROM once WHERE key = ANY($1)', [genuine.map(({ key }) => key)])
    const terms = genuine.map(({ term }) => term)
    await writeSum(client, macs, stream, withoutKeys(sum, terms))
  })
}

/** Inside a transaction. */
export async function totalsIn(client: Client, macs: RowMacs, onForged: (key: string) => void): Promise<KeyTotals> {
  const totals = keyTotals(macs, onForged)
  await client.query('DECLARE keys NO SCROLL CURSOR FOR SELECT key, until, mac FROM once WHERE mac IS NOT NULL')
  for (;;) {
    const { rows } = await client.query<{ key: string; until: number; mac: string }>(`FETCH ${AT_ONCE} FROM keys`)
    for (const { key, until, mac } of rows) totals.key({ key: fromPgText(key), until, mac: bytesIn(mac) })
    if (rows.length < AT_ONCE) break
  }
  await client.query('CLOSE keys')
  const sums = await client.query<{ stream: string; n: number; masked: string; mac: string }>(
    'SELECT stream, n, masked, mac FROM once_sums',
  )
  for (const { stream, n, masked, mac } of sums.rows)
    totals.sum({ stream: fromPgText(stream), n, masked: bytesIn(masked), mac: bytesIn(mac) })
  return totals
}

/** Whether the keys are those that the nodes stored, from one snapshot. Keys of earlier releases have no MAC and are not compared. */
export const hasAllKeys = (client: Client, macs: RowMacs, onForged: (key: string) => void): Promise<boolean> =>
  inTransaction(client, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', async () =>
    (await totalsIn(client, macs, onForged)).isWhole(),
  )

/** Accepts the keys as they are: this stream's sum becomes what the others' leave over. */
export async function acceptKeys(client: Client, macs: RowMacs, stream: string): Promise<void> {
  await inTransaction(client, 'BEGIN', async () => {
    await client.query(LOCK)
    const totals = await totalsIn(client, macs, () => undefined)
    const sums = totals.sums()
    await client.query('DELETE FROM once_sums WHERE stream <> ALL($1)', [[...sums.keys()].map((name) => pgText(name))])
    const others = [...sums].flatMap(([name, { sum }]) => (name === stream ? [] : [-sum]))
    const { n } = sums.get(stream) ?? NO_KEYS
    await writeSum(client, macs, stream, { n: n + 1, sum: addTerms(totals.keys(), others) })
  })
}
