import type { Client } from 'pg'
import { columnsOf, rawColumn, type ListedValue } from '../listed.ts'
import { hasMac, type RowMacs } from '../row-mac.ts'
import { COPIED_KEYS, NO_KEYS, withKey } from '../once-sum.ts'
import type { Copied, StoredRecord } from '../stored-record.ts'
import { writeSum } from './once-keys.ts'
import { pgColumn, pgText } from './pg-text.ts'

const textOf = (mac: Uint8Array): string => Buffer.from(mac).toString('base64')

/** Fills an empty schema, all or nothing. */
export async function fillStore(
  client: Client,
  macs: RowMacs,
  records: AsyncIterable<StoredRecord> | Iterable<StoredRecord>,
): Promise<Copied> {
  const copied = { row: 0, once: 0, account: 0, event: 0, wake: 0, entry: 0, head: 0, artifact: 0 }
  let keys = NO_KEYS
  await client.query('BEGIN')
  await client.query('SET LOCAL idle_in_transaction_session_timeout = 0')
  try {
    for await (const record of records) {
      copied[record.is] += 1
      if (record.is === 'once') keys = withKey(keys, macs.once(record.key, record.until).term)
      await put(client, macs, record)
    }
    await writeSum(client, macs, COPIED_KEYS, keys)
    await client.query('COMMIT')
    return copied
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined)
    throw error
  }
}

async function put(client: Client, macs: RowMacs, record: StoredRecord): Promise<void> {
  const insert = async (table: string, values: Readonly<Record<string, ListedValue | bigint | Buffer>>) => {
    const names = Object.keys(values)
    const places = names.map((_, index) => `$${index + 1}`)
    const text = `INSERT INTO ${table} (${names.map((name) => `"${name}"`).join(', ')}) VALUES (${places.join(', ')})`
    await client.query({ name: `fill ${table}`, text, values: Object.values(values) })
  }
  switch (record.is) {
    case 'row': {
      const { table, id, version, text } = record
      const row = JSON.parse(text) as Record<string, unknown>
      const fields = columnsOf(table).map((field) => [field, pgColumn(field, rawColumn(table, field, row))] as const)
      const mac = hasMac(table) ? textOf(macs.row(table, id, version, text, null)) : null
      return insert(table, { id: pgText(id), version, body: text, mac, ...Object.fromEntries(fields) })
    }
    case 'once':
      return insert('once', {
        key: pgText(record.key),
        until: record.until,
        mac: textOf(macs.once(record.key, record.until).mac),
      })
    case 'account': {
      const { id, units, until } = record
      return insert('accounts', {
        id: pgText(id),
        units: String(units),
        until,
        mac: textOf(macs.account(id, units, until)),
      })
    }
    case 'event': {
      const { run, seq, text } = record
      return insert('events', { run: pgText(run), seq, body: text, mac: textOf(macs.event(run, seq, text)) })
    }
    case 'wake':
      return insert('wakes', { run: pgText(record.run), at: record.at })
    case 'entry': {
      const { stream, seq, hash, text } = record
      const mac = textOf(macs.stream(stream))
      if (seq === 1)
        await client.query('INSERT INTO streams (stream, mac) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
          pgText(stream),
          mac,
        ])
      await client.query({
        name: 'fill audit',
        text: 'INSERT INTO audit (stream, seq, hash, body) SELECT number, $2, $3, $4 FROM streams WHERE stream = $1',
        values: [pgText(stream), seq, hash, text],
      })
      return
    }
    case 'head':
      return insert('heads', {
        stream: pgText(record.stream),
        seq: record.seq,
        hash: record.hash,
        mac: textOf(macs.head(record.stream, record.seq, record.hash)),
      })
    case 'artifact': {
      const { shelf, digest, body, stored_at } = record
      return insert('artifacts', { shelf, digest, body, stored_at })
    }
    default:
      return record satisfies never
  }
}
