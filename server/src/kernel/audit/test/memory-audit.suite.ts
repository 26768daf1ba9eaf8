import type { CheckpointKeys, CheckpointFile } from '../../ports/audit.ts'
import type { Change, Committed, Ledger, Table } from '../../ports/ledger.ts'
import type { AuditReads, Stored, Tables } from '../../ports/reads.ts'
import type { Digest } from '../../ports/runtime.ts'
import type { AuditDraft, AuditEntry, Checkpoint } from '../../contract/audit.ts'
import { GENESIS } from '../../contract/genesis.ts'
import { Bug } from '../../contract/problems.ts'
import { hashesIn, LINK } from '../../../adapters/stores/stored-links.ts'
import { entryParts, linkEntry } from '../chain.ts'
import { createCheckpointKeys, newCheckpointKey } from '../../../adapters/keys/checkpoint-keys.ts'
import { sha256Hex } from '../../../adapters/keys/digest.ts'

export const digest: Digest = sha256Hex
export const digestBytes = (hex: string): string => sha256Hex(Buffer.from(hex, 'hex'))
export const newKeys = (): CheckpointKeys => createCheckpointKeys(newCheckpointKey(), [])

/** Keeps everything in memory, like a process that was never stopped. */
export function memoryCheckpointFile(): CheckpointFile {
  let state: ReturnType<CheckpointFile['state']> = { missing: false }
  return {
    state: () => state,
    async keep(next) {
      state = { ...next, missing: false }
      return { ok: true, value: undefined }
    },
  }
}

/** A stored value that a test may corrupt in any way. */
export type PlacedBody = { place: number; body: unknown }

/**
 * The audit ports in memory. As in SQL, an entry's position and its content are stored separately, and so are the heads. A body
 * `garbage` is a row that cannot be parsed.
 */
export function memoryAudit(keys: CheckpointKeys = newKeys()) {
  const entries = new Map<string, PlacedBody[]>()
  const heads = new Map<string, { seq: number; hash: string }>()
  const checkpoints = new Map<string, PlacedBody>()
  let now = 1_700_000_000_000
  let cursor = 0

  function append(stream: string, draft: AuditDraft): AuditEntry {
    const head = heads.get(stream) ?? { seq: 0, hash: GENESIS }
    const linked = linkEntry({ stream, ...head }, entryParts(draft), digest)
    const { seq, hash } = linked.head
    const entry: AuditEntry = { ...(JSON.parse(linked.text) as AuditEntry), hash }
    entries.set(stream, [...(entries.get(stream) ?? []), { place: seq, body: entry }])
    heads.set(stream, { seq, hash })
    return entry
  }

  const commit = async (changes: readonly Change[]): Promise<Committed> => {
    for (const [index, change] of changes.entries()) {
      if (change.kind !== 'swap' || change.table !== 'checkpoints') throw new Error('only checkpoints are kept here')
      if (checkpoints.has(change.id)) return { lost: index }
      checkpoints.set(change.id, { place: (cursor += 1), body: change.to })
    }
    return 'committed'
  }

  const audit: AuditReads = {
    async entries(stream, from, limit) {
      const rows = (entries.get(stream) ?? []).filter(({ place }) => place >= from)
      const page = rows.sort((a, b) => a.place - b.place).slice(0, limit)
      return page.map(({ body }) => readable(body) as AuditEntry)
    },
    async naming(id, stream, from, count) {
      const page = await audit.entries(stream, from, count)
      return page.filter((entry) => entry.seq === from || JSON.stringify(entry).includes(id))
    },
    async namingNewest(id, count) {
      return Promise.all(
        [...heads].map(async ([stream, { seq }]) => {
          const from = Math.max(1, seq - count + 1)
          return { stream, seq, entries: await audit.naming(id, stream, from, seq - from + 1) }
        }),
      )
    },
    async linkedHashes(stream, from, head, limit) {
      const rows = (entries.get(stream) ?? [])
        .toSorted((a, b) => a.place - b.place)
        .filter(({ place }) => place >= from)
      const found = rows.slice(0, limit).map(({ place, body }) => {
        const { hash, ...entry } = (typeof body === 'object' && body !== null ? body : { hash: '' }) as AuditEntry
        const text = JSON.stringify(entry)
        return { seq: place, hash, link: text.slice(text.indexOf(LINK)) }
      })
      return hashesIn(found, from, head)
    },
    async heads() {
      return [...heads].map(([stream, head]) => ({ stream, ...head }))
    },
  }

  const tables: Pick<Tables, 'row' | 'list'> = {
    async row<T extends Table>(_: T, id: string) {
      const stored = checkpoints.get(id)
      return stored === undefined ? undefined : held<T>(stored)
    },
    async list<T extends Table>(
      _: T,
      __: object,
      { limit, after, newest_first = false }: { limit: number; after?: number; newest_first?: boolean },
    ) {
      const sign = newest_first ? -1 : 1
      return [...checkpoints.values()]
        .filter(({ place }) => after === undefined || (place - after) * sign > 0)
        .sort((a, b) => (a.place - b.place) * sign)
        .slice(0, limit)
        .map((stored) => held<T>(stored))
    },
  }
  const ledger: Ledger = { commit }
  const clock = () => (now += 1)
  const stored = { entries, heads, checkpoints }
  const checkpointFile = memoryCheckpointFile()
  const ids = { trace: () => 'trace' }
  return { ledger, audit, tables, keys, checkpointFile, ids, clock, digest, digestBytes, append, stored }
}
export type MemoryAudit = ReturnType<typeof memoryAudit>

function readable(body: unknown): unknown {
  if (body === 'garbage') throw new Bug('not JSON')
  return body
}

const held = <T extends Table>({ place, body }: PlacedBody): Stored<T> =>
  ({ version: 1, row: readable(body), cursor: place }) as Stored<T>

export const draft = (at: number, actor = 'agent:a'): AuditDraft => ({
  at,
  type: 'call.held',
  actor,
  trace: 't1',
  subject: { call: 'call_1', tool: 'shop__buy' },
  args_hash: digest(actor),
  verdict: {
    effect: 'ask',
    strength: 'simple',
    evidence: [{ decider: 'policy', effect: 'ask', rule: 'r1', says: 'ask first', source: 'preset', at }],
  },
  about: { limit: 5, list: [1, 'é', null] },
})

/** The current checkpoints, oldest first. */
export const checkpointsOf = ({ stored }: MemoryAudit): Checkpoint[] =>
  [...stored.checkpoints.values()].map(({ body }) => body as Checkpoint)
