import { hash } from 'node:crypto'
import type { Artifacts } from '../../../kernel/ports/artifacts.ts'
import { Sha256 } from '../../../kernel/contract/ids.ts'
import { Bug } from '../../../kernel/contract/problems.ts'
import { artifactBytes } from '../artifact-bytes.ts'
import type { Sealer } from '../store-engine.ts'
import { range } from '../text-range.ts'
import type { ReadQueries } from './read-queries.ts'

/** A longer text is not stored: the call's output is cut instead. Postgres accepts up to 1 GB in one value. */
const MOST_BYTES = 67_108_864

/** Artifacts in the database, so that every node has them. A text that no longer has its digest is ignored. */
export function databaseArtifacts(queries: ReadQueries, sealer?: Sealer): Artifacts {
  const bytesOf = artifactBytes(sealer)
  const ownerKeyOf = (owner: string) => hash('sha256', owner)
  return {
    async put(owner, text) {
      if (!owner.isWellFormed()) return undefined
      const bytes = Buffer.from(text, 'utf8')
      if (bytes.length > MOST_BYTES) return undefined
      const digest = hash('sha256', bytes)
      try {
        await queries.all(
          `INSERT INTO artifacts (shelf, digest, body, stored_at) VALUES ($1, $2, $3, $4)
            ON CONFLICT (shelf, digest) DO UPDATE SET body = excluded.body, stored_at = excluded.stored_at`,
          [ownerKeyOf(owner), digest, bytesOf.encode(bytes, ownerKeyOf(owner), digest), Date.now()],
        )
        return digest
      } catch {
        return undefined
      }
    },

    async read(owner, digest, from, length) {
      if (!isCount(from) || !isCount(length)) throw new Bug('a range is two whole numbers, 0 or more')
      if (!owner.isWellFormed() || !Sha256.safeParse(digest).success) return undefined
      const [found] = await queries.all<{ body: Buffer | null }>(
        'SELECT body FROM artifacts WHERE shelf = $1 AND digest = $2',
        [ownerKeyOf(owner), digest],
      )
      if (found === undefined) return undefined
      if (found.body === null) return 'expired'
      const text = bytesOf.decode(found.body, ownerKeyOf(owner), digest)
      return text === undefined ? undefined : { text: range(text, from, length), size: text.length }
    },

    async expire(before) {
      return empty(queries, 'stored_at < $1', before)
    },

    async erase(owner) {
      return owner.isWellFormed() ? empty(queries, 'shelf = $1', ownerKeyOf(owner)) : 0
    },
  }
}

const AT_ONCE = 200

/** A row without a text remains, which says that there was one. */
async function empty(queries: ReadQueries, condition: string, value: string | number): Promise<number> {
  let removed = 0
  for (;;) {
    const gone = await queries.all(
      `UPDATE artifacts SET body = NULL WHERE (shelf, digest) IN
        (SELECT shelf, digest FROM artifacts WHERE body IS NOT NULL AND ${condition} LIMIT ${AT_ONCE}) RETURNING 1 AS gone`,
      [value],
    )
    removed += gone.length
    if (gone.length < AT_ONCE) return removed
  }
}

const isCount = (value: number) => Number.isSafeInteger(value) && value >= 0
