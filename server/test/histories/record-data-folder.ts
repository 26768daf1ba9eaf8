import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { packageVersion } from '../../src/main/package-version.ts'
import { MIGRATIONS } from '../../src/adapters/stores/sqlite/schema.ts'
import { startGate } from '../helpers/with-running-gate.ts'
import { configureLedger, FOLDERS, startAt, type Recording } from './with-data-folder.ts'

/**
 * Records a data folder of this release for later ones to open: `npm run -s node server/test/histories/record-data-folder.ts`, after the
 * store's schema has changed, and with every release. An existing recording is never replaced.
 */
const at = Date.now()
startAt(at)
const gate = await startGate(configureLedger)
const fail = async (why: string): Promise<never> => {
  await gate.stop()
  throw new Error(why)
}
const cli = async (...words: string[]) => {
  const ran = await gate.cli(...words)
  if (ran.code !== 0) return fail(`sluice ${words.join(' ')}: ${ran.err}`)
  return ran.out
}
const http = async (method: string, path: string, key: string, body?: object) => {
  const answer = await gate.http(method, path, key, body)
  if (answer.status >= 300) return fail(`${method} ${path}: ${JSON.stringify(answer.body)}`)
  return answer.body
}
const agent = await gate.key('agent', 'ana-agent', 'ana')
const approver = await gate.key('approver', 'bob')
const revoked = await gate.key('agent', 'old', 'ana')
const call = (tool: string, args: object) => http('POST', '/v1/calls', agent, { tool, args, thread: 'recorded' })
const decide = async (approval_id: unknown, decision: string) => {
  const path = `/v1/approvals/${String(approval_id)}`
  const { digest } = await http('GET', path, approver)
  return http('POST', `${path}/decide`, approver, { decision, ...(decision === 'approve' ? { digest } : {}) })
}

const lines = (await cli('keys', 'list')).split('\n')
await cli('keys', 'revoke', lines.find((line) => line.includes('agent:old'))?.split(' ')[0] ?? '')
await call('ledger__look', {})
const long = await call('ledger__long', {})
const approved = await call('ledger__note', { text: 'approved by the old release' })
await decide(approved['approval_id'], 'approve')
await http('GET', `/v1/calls/${String(approved['call_id'])}?wait_ms=10000`, agent)
const denied = await call('ledger__note', { text: 'denied' })
await decide(denied['approval_id'], 'deny')
await cli('keys', 'rotate', 'token')
await cli('keys', 'rotate', 'checkpoint')
const bounds = ['--calls', '2', '--for', '7d', '--arg', '/text prefix "by consent"']
await cli('consent', 'mint', 'caller:agent:ana-agent', 'ledger__note', ...bounds)
await call('ledger__note', { text: 'by consent, the first' })
const held = await call('ledger__note', { text: 'held by the old release' })
await cli('audit', 'checkpoint')
const backup = join(gate.folder, 'recorded.backup')
await cli('backup', backup)

const recording: Recording = {
  release: packageVersion(),
  schema: MIGRATIONS.length,
  at,
  entries: Number(/(\d+) entries/.exec(await cli('audit', 'verify'))?.[1]),
  keys: { agent, approver, revoked },
  held: { approval_id: String(held['approval_id']), call_id: String(held['call_id']) },
  executed: String(approved['call_id']),
  denied: String(denied['call_id']),
  artifact: (long['output'] as { pointer: string }).pointer.replace('artifact://', ''),
}
mkdirSync(FOLDERS, { recursive: true })
const file = join(FOLDERS, `${recording.release}-schema-${recording.schema}`)
writeFileSync(`${file}.json`, `${JSON.stringify(recording, null, 2)}\n`, { flag: 'wx' })
writeFileSync(`${file}.backup.gz`, gzipSync(readFileSync(backup), { level: 9 }), { flag: 'wx' })
await gate.stop()
