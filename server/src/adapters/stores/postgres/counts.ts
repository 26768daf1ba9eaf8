import { hash } from 'node:crypto'
import type { Counted, Counts } from '../../../kernel/ports/counts.ts'
import type { ReadQueries } from './read-queries.ts'

/** By the database's clock alone, in the order of names, so that two nodes never deadlock. */
const ADD = `WITH quick AS (SELECT set_config('synchronous_commit', 'off', true)),
  given AS (SELECT name, by FROM unnest($1::text[], $2::int[]) AS g(name, by), quick ORDER BY name)
  INSERT INTO counts AS c (name, count, ends) SELECT name, greatest(by, 0), clock_timestamp() + $3::float8 * interval '1 millisecond' FROM given
  ON CONFLICT (name) DO UPDATE SET
    count = CASE WHEN c.ends <= clock_timestamp() OR c.count = 0 THEN excluded.count ELSE greatest(c.count + (SELECT by FROM given WHERE given.name = excluded.name), 0) END,
    ends = CASE WHEN c.ends <= clock_timestamp() OR c.count = 0 THEN excluded.ends ELSE c.ends END
  RETURNING name, count, extract(epoch FROM ends - clock_timestamp())::float8 * 1000 AS left_ms`
const FORGET = `DELETE FROM counts WHERE name IN (SELECT name FROM counts WHERE ends < clock_timestamp() LIMIT 1000)`
const FORGET_EVERY_MS = 60_000

/** Counts in the database. Names are stored as digests. */
export function databaseCounts(queries: ReadQueries): Counts {
  let forgotAt = 0
  return {
    async add(parts, window_ms) {
      const now = Date.now()
      if (now - forgotAt > FORGET_EVERY_MS) {
        forgotAt = now
        await queries.all(FORGET, [])
      }
      const names = parts.map(({ name }) => hash('sha256', name))
      const found = await queries.all<Counted & { readonly name: string }>(ADD, [
        names,
        parts.map(({ by }) => by),
        window_ms,
      ])
      const byName = new Map(found.map((row) => [row.name, { count: row.count, left_ms: row.left_ms }]))
      return names.map((name) => byName.get(name) ?? { count: 0, left_ms: window_ms })
    },
  }
}
