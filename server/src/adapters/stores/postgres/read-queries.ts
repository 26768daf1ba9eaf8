import type { Client, QueryResultRow } from 'pg'
import { hash } from 'node:crypto'
import type { Writable } from 'node:stream'
import { connect, isSurelyUndone, type PostgresAddress } from './connect.ts'

/**
 * Queries the database. Several queries are sent together; after a broken connection, a new one is made and the query is
 * repeated.
 */
export type ReadQueries = {
  all<Row extends QueryResultRow>(sql: string, values: readonly unknown[]): Promise<Row[]>
  close(): Promise<void>
}

const CONNECTIONS = 3

export function readQueries(address: PostgresAddress): ReadQueries {
  const open: (Promise<Client> | undefined)[] = []
  const names = new Map<string, string>()
  let next = 0
  let closed = false

  const connection = (place: number): Promise<Client> => {
    const found = open[place]
    if (found !== undefined) return found
    const made = connect(address, 'reader', { pipeline: true })
    open[place] = made
    // A connection that could not be made, or that broke, is made again by the next query.
    const drop = () => {
      if (open[place] === made) open[place] = undefined
    }
    made.then((client) => client.once('end', drop), drop)
    return made
  }

  /** Questions of one turn of the event loop go to one connection, by one write. */
  const gathered = new Set<Client>()
  const gather = (client: Client): void => {
    if (gathered.has(client)) return
    const { stream } = (client as unknown as { readonly connection: { readonly stream: Writable } }).connection
    gathered.add(client)
    stream.cork()
    setImmediate(() => {
      gathered.delete(client)
      stream.uncork()
      next = (next + 1) % CONNECTIONS
    })
  }

  const ask = async <Row extends QueryResultRow>(sql: string, values: readonly unknown[]): Promise<Row[]> => {
    const place = next
    const client = await connection(place)
    try {
      gather(client)
      const answer = await client.query<Row>({ name: nameOf(names, sql), text: sql, values: [...values] })
      return answer.rows
    } catch (error) {
      if (!isSurelyUndone(error)) {
        open[place] = undefined
        void client.end().catch(() => undefined)
      }
      throw error
    }
  }

  return {
    async all<Row extends QueryResultRow>(sql: string, values: readonly unknown[]): Promise<Row[]> {
      try {
        return await ask<Row>(sql, values)
      } catch (error) {
        if (closed || isSurelyUndone(error)) throw error
        return ask<Row>(sql, values)
      }
    },
    async close() {
      closed = true
      for (const made of open.splice(0)) {
        const client = await made?.catch(() => undefined)
        await client?.end().catch(() => undefined)
      }
    },
  }
}

/** There are few statements, so each is prepared once per connection. */
function nameOf(names: Map<string, string>, sql: string): string {
  const found = names.get(sql) ?? hash('sha256', sql).slice(0, 16)
  names.set(sql, found)
  return found
}
