import type { DatabaseSync } from 'node:sqlite'
import type { AuditEntry, AuditFinding, Checkpoint } from '../../contract/audit.ts'
import { checkpointText } from '../checkpoint.ts'
import { STREAM_LENGTH } from '../../../adapters/stores/sqlite/streams.ts'
import { rehashed } from './histories.suite.ts'
import { newKeys } from './memory-audit.suite.ts'

export type Tamper = (db: DatabaseSync) => void

const run =
  (...statements: readonly string[]): Tamper =>
  (db) =>
    statements.forEach((sql) => db.exec(sql))

/** `main` is the first stream, so its places are its sequence numbers; those of `other` come after it. */
const MAIN = `place < ${STREAM_LENGTH}`
const OTHER = STREAM_LENGTH

function read(db: DatabaseSync, seq: number): AuditEntry {
  const row = db.prepare('SELECT body, hash FROM audit WHERE place = ?').get(seq)
  const body = JSON.parse(String(row?.['body'])) as AuditEntry
  return { ...body, hash: String(row?.['hash']) }
}

function write(db: DatabaseSync, place: number, { hash, ...body }: AuditEntry): void {
  const text = JSON.stringify(body)
  db.prepare('INSERT OR REPLACE INTO audit (place, hash, body) VALUES (?, ?, ?)').run(place, hash, text)
}

/** Edit one entry and recompute all hashes after it, including the head: all that an attacker without a key can do. */
const rewrite =
  (from: number): Tamper =>
  (db) => {
    let before = read(db, from).prev_hash
    for (let seq = from; seq <= 25; seq += 1) {
      const entry = rehashed(read(db, seq), { prev_hash: before, ...(seq === from ? { actor: 'agent:other' } : {}) })
      write(db, seq, entry)
      before = entry.hash
    }
    db.prepare('UPDATE heads SET hash = ? WHERE stream = ?').run(before, 'main')
  }

const cut = (from: number): readonly string[] => [
  `DELETE FROM audit WHERE ${MAIN} AND place >= ${from}`,
  `UPDATE heads SET seq = ${from - 1}, hash = (SELECT hash FROM audit WHERE place = ${from - 1}) WHERE stream = 'main'`,
]

const setCheckpoint =
  (number: number, change: (checkpoint: Checkpoint) => unknown): Tamper =>
  (db) => {
    const id = String(number).padStart(12, '0')
    const row = db.prepare('SELECT body FROM checkpoints WHERE id = ?').get(id)
    const body = JSON.stringify(change(JSON.parse(String(row?.['body'])) as Checkpoint))
    db.prepare('UPDATE checkpoints SET body = ? WHERE id = ?').run(body, id)
  }

export const editField = (path: string, value: string): Tamper =>
  run(`UPDATE audit SET body = json_set(body, '${path}', ${value}) WHERE place = 13`)

export type Case = {
  readonly tamper: Tamper
  readonly finds: [AuditFinding['what'], string, number]
  readonly against?: true
}

/** What an attacker without a key can do to the file. */
export const CASES: Readonly<Record<string, Case>> = {
  'an edited actor': { tamper: editField('$.actor', "'agent:other'"), finds: ['edited', 'main', 13] },
  'an edited time': { tamper: editField('$.at', '12'), finds: ['edited', 'main', 13] },
  'an edited verdict': { tamper: editField('$.verdict.effect', "'allow'"), finds: ['edited', 'main', 13] },
  'an edited piece of evidence': {
    tamper: editField('$.verdict.evidence[0].rule', "'r2'"),
    finds: ['edited', 'main', 13],
  },
  'an added outcome': { tamper: editField('$.outcome', "'executed'"), finds: ['edited', 'main', 13] },
  'an edited sequence number in the text': { tamper: editField('$.seq', '14'), finds: ['edited', 'main', 13] },
  'a removed field': {
    tamper: run("UPDATE audit SET body = json_remove(body, '$.args_hash') WHERE place = 13"),
    finds: ['edited', 'main', 13],
  },
  'an edited hash': {
    tamper: run("UPDATE audit SET hash = replace(hash, 'a', 'b') || '' WHERE place = 13"),
    finds: ['edited', 'main', 13],
  },
  'a text that is not JSON': {
    tamper: run("UPDATE audit SET body = '{' WHERE place = 13"),
    finds: ['unreadable', 'main', 13],
  },
  'an edited entry that was hashed again': {
    tamper: (db) => write(db, 13, rehashed(read(db, 13), { actor: 'agent:other' })),
    finds: ['edited', 'main', 13],
  },
  'an edited last entry that was hashed again': {
    tamper: (db) => write(db, 25, rehashed(read(db, 25), { actor: 'agent:other' })),
    finds: ['edited', 'main', 25],
  },
  'an edited entry in an idle stream': {
    tamper: run(`UPDATE audit SET body = json_set(body, '$.actor', 'x') WHERE place = ${OTHER} + 2`),
    finds: ['edited', 'other', 2],
  },
  'a rewritten history': { tamper: rewrite(13), finds: ['checkpoint_mismatch', 'main', 20] },
  'a deleted entry': {
    tamper: run('DELETE FROM audit WHERE place = 13'),
    finds: ['missing', 'main', 13],
  },
  'a deleted first entry': {
    tamper: run('DELETE FROM audit WHERE place = 1'),
    finds: ['missing', 'main', 1],
  },
  'a deleted entry that is not signed yet': {
    tamper: run('DELETE FROM audit WHERE place = 23'),
    finds: ['missing', 'main', 23],
  },
  'a deleted entry, with the next one in its place': {
    tamper: run('DELETE FROM audit WHERE place = 13', 'UPDATE audit SET place = place - 1 WHERE place = 14'),
    finds: ['missing', 'main', 13],
  },
  'two swapped rows': {
    tamper: run(
      'UPDATE audit SET place = -1 WHERE place = 13',
      'UPDATE audit SET place = 13 WHERE place = 17',
      'UPDATE audit SET place = 17 WHERE place = -1',
    ),
    finds: ['reordered', 'main', 13],
  },
  'two swapped adjacent rows': {
    tamper: run(
      'UPDATE audit SET place = -1 WHERE place = 13',
      'UPDATE audit SET place = 13 WHERE place = 14',
      'UPDATE audit SET place = 14 WHERE place = -1',
    ),
    finds: ['reordered', 'main', 13],
  },
  'swapped rows of two streams': {
    tamper: run(
      'UPDATE audit SET place = -1 WHERE place = 3',
      `UPDATE audit SET place = 3 WHERE place = ${OTHER} + 3`,
      `UPDATE audit SET place = ${OTHER} + 3 WHERE place = -1`,
    ),
    finds: ['reordered', 'main', 3],
  },
  'one entry under two numbers': {
    tamper: run('UPDATE audit SET (hash, body) = (SELECT hash, body FROM audit WHERE place = 13) WHERE place = 14'),
    finds: ['reordered', 'main', 14],
  },
  'two streams with swapped names': {
    tamper: run(
      "UPDATE streams SET stream = 'x' WHERE stream = 'main'",
      "UPDATE streams SET stream = 'main' WHERE stream = 'other'",
      "UPDATE streams SET stream = 'other' WHERE stream = 'x'",
    ),
    finds: ['reordered', 'main', 1],
  },
  'an older checkpoint in the place of the newest': {
    tamper: run(
      "UPDATE checkpoints SET body = (SELECT body FROM checkpoints WHERE id = '000000000001') WHERE id = '000000000002'",
    ),
    finds: ['checkpoint_mismatch', 'checkpoints', 2],
  },
  'an older checkpoint again under the next number': {
    tamper: run(
      "INSERT INTO checkpoints (id, version, body) SELECT '000000000003', 1, body FROM checkpoints WHERE id = '000000000001'",
    ),
    finds: ['checkpoint_mismatch', 'checkpoints', 3],
  },
  'an inserted entry': {
    tamper: (db) => {
      const inserted = rehashed(read(db, 13), { actor: 'agent:other' })
      run(`UPDATE audit SET place = -place - 1 WHERE ${MAIN} AND place >= 13`)(db)
      run("UPDATE audit SET place = -place, body = json_set(body, '$.seq', -place) WHERE place < 0")(db)
      write(db, 13, inserted)
    },
    finds: ['reordered', 'main', 13],
  },
  'an entry that was added without the store': {
    tamper: (db) => write(db, 26, rehashed(read(db, 25), { seq: 26, prev_hash: read(db, 25).hash })),
    finds: ['reordered', 'main', 26],
  },
  'deleted last entries that are not signed yet': {
    tamper: run(`DELETE FROM audit WHERE ${MAIN} AND place > 22`),
    finds: ['truncated', 'main', 23],
  },
  'deleted last entries after a checkpoint, with an adjusted head': {
    tamper: run(...cut(18)),
    finds: ['truncated', 'main', 18],
  },
  'a deleted stream': {
    tamper: run(`DELETE FROM audit WHERE place > ${OTHER}`),
    finds: ['missing', 'other', 1],
  },
  'a deleted stream with its head': {
    tamper: run(`DELETE FROM audit WHERE place > ${OTHER}`, "DELETE FROM heads WHERE stream = 'other'"),
    finds: ['missing', 'other', 1],
  },
  'a head that was set back': {
    tamper: run(`UPDATE heads SET seq = 24, hash = (SELECT hash FROM audit WHERE place = 24)
                 WHERE stream = 'main'`),
    finds: ['reordered', 'main', 25],
  },
  'last entries that were deleted with their heads and checkpoints': {
    tamper: run(...cut(18), "DELETE FROM checkpoints WHERE id = '000000000002'"),
    finds: ['truncated', 'main', 18],
    against: true,
  },
  'an emptied audit': {
    tamper: run('DELETE FROM audit', 'DELETE FROM heads', 'DELETE FROM checkpoints'),
    finds: ['missing', 'main', 1],
    against: true,
  },
  'a removed newest checkpoint': {
    tamper: run("DELETE FROM checkpoints WHERE id = '000000000002'"),
    finds: ['checkpoint_missing', 'checkpoints', 2],
    against: true,
  },
  'a rewritten history without its checkpoints': {
    tamper: (db) => {
      rewrite(13)(db)
      db.exec("DELETE FROM checkpoints WHERE id = '000000000002'")
    },
    finds: ['checkpoint_mismatch', 'main', 20],
    against: true,
  },
  'a removed checkpoint': {
    tamper: run("DELETE FROM checkpoints WHERE id = '000000000001'"),
    finds: ['checkpoint_missing', 'checkpoints', 1],
  },
  'a checkpoint with an edited body': {
    tamper: setCheckpoint(2, ({ body, ...rest }) => ({ ...rest, body: { ...body, at: 1 } })),
    finds: ['checkpoint_forged', 'checkpoints', 2],
  },
  'a checkpoint with an edited head': {
    tamper: setCheckpoint(2, ({ body, ...rest }) => ({
      ...rest,
      body: { ...body, streams: body.streams.map((head) => ({ ...head, head: 'f'.repeat(64) })) },
    })),
    finds: ['checkpoint_forged', 'checkpoints', 2],
  },
  'a checkpoint signed with another key': {
    tamper: setCheckpoint(2, ({ body }) => ({ body, ...newKeys().sign(checkpointText(body)) })),
    finds: ['checkpoint_forged', 'checkpoints', 2],
  },
  'a checkpoint signed with another key under the name of ours': {
    tamper: setCheckpoint(2, ({ body, key }) => ({ body, ...newKeys().sign(checkpointText(body)), key })),
    finds: ['checkpoint_forged', 'checkpoints', 2],
  },
  'a checkpoint that is not JSON': {
    tamper: run("UPDATE checkpoints SET body = '{' WHERE id = '000000000002'"),
    finds: ['unreadable', 'checkpoints', 2],
  },
}
