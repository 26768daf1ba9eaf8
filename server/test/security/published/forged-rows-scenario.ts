import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'vitest'
import { runGate } from '../../helpers/with-running-gate.ts'
import { effectsIn } from '../../helpers/with-gate.ts'

type Gate = Awaited<ReturnType<typeof runGate>>

const FORGED = 'slu_approver_made-by-hand'

/** Copies an approver's row under another digest, and marks a held request approved, with its event and its wake-up. */
function forge(folder: string, approval_id: string): void {
  const db = new DatabaseSync(join(folder, '.sluice/ledger.sqlite'), { timeout: 60_000 })
  const digest = createHash('sha256').update(FORGED).digest('hex')
  const forged = `json_set(body, '$.key_id', 'key_forged', '$.key_hash', '${digest}')`
  db.exec(`INSERT INTO credentials (id, version, body, key_hash, mac) SELECT 'key_forged', 1, ${forged}, '${digest}', mac
    FROM credentials WHERE body ->> '$.caller.kind' = 'approver' LIMIT 1 ON CONFLICT DO NOTHING`)
  const run = String(
    db.prepare(`SELECT body ->> '$.run_id' AS run FROM approvals WHERE id = ?`).get(approval_id)?.['run'],
  )
  db.exec(
    `UPDATE approvals SET state = 'approved', body = json_set(body, '$.state', 'approved') WHERE id = '${approval_id}'`,
  )
  const event = JSON.stringify({ type: 'approval.approved', approval_id })
  db.prepare('INSERT INTO events (run, seq, body) VALUES (?, 100, ?) ON CONFLICT DO NOTHING').run(run, event)
  db.prepare('INSERT INTO wakes (run, at) VALUES (?, 0) ON CONFLICT DO NOTHING').run(run)
  db.close()
}

/** On the running gate and again after a restart: the forged key is rejected, and nothing runs. */
export async function forgedRows(gate: Gate, launcher: string): Promise<void> {
  const agent = await gate.key('agent', 'a', 'ana')
  const approver = await gate.key('approver', 'bob')
  const note = { tool: 'book__note', args: { text: 'forged' } }
  const held = await gate.http('POST', '/v1/calls', agent, note)
  const approval_id = String(held.body['approval_id'])
  forge(gate.folder, approval_id)
  const isKnown = async (at: Gate, key: string) => (await at.http('GET', '/v1/approvals', key)).status
  expect([await isKnown(gate, FORGED), await isKnown(gate, approver)]).toEqual([401, 200])
  gate.process.kill('SIGTERM')
  await once(gate.process, 'exit')
  forge(gate.folder, approval_id)
  const next = await runGate(gate.folder, ['up', '--trust'], launcher)
  expect([await isKnown(next, FORGED), await isKnown(next, approver)]).toEqual([401, 200])
  expect((await next.cli('call', 'book__look', '{}')).code).toBe(0)
  expect(effectsIn(gate.folder).join('\n')).not.toContain('forged')
  expect((await next.cli('doctor')).out).toContain('key_forged in credentials was not written by the gate')
  next.process.kill('SIGTERM')
  await once(next.process, 'exit')
}
