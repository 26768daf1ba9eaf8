import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

export const FOLDERS = join(import.meta.dirname, 'folders')

/** What a test must know about a recorded folder. The folder itself is the backup of the same name. */
export type Recording = {
  readonly release: string
  readonly schema: number
  /** When it was recorded. What was held then must still wait when it is opened. */
  readonly at: number
  readonly entries: number
  readonly keys: { readonly agent: string; readonly approver: string; readonly revoked: string }
  readonly held: { readonly approval_id: string; readonly call_id: string }
  readonly executed: string
  readonly denied: string
  /** The digest of a long answer that was stored as an artifact. */
  readonly artifact: string
}

/** The configuration that all recorded folders are opened with. */
export function configureLedger(folder: string): void {
  const args = [join(import.meta.dirname, 'ledger-server.ts')]
  const tools = { note: { effects: ['write'] } }
  const ledger = { command: 'node', args, env: { EFFECTS: join(folder, 'effects.txt') }, tools }
  const settings = { listen: { port: 0 }, approvals: { expires_s: 604_800 }, servers: { ledger } }
  writeFileSync(join(folder, 'sluice.yaml'), JSON.stringify(settings))
}

/** Processes started from here on see another time. */
export function startAt(time: number): void {
  process.env['SLUICE_TEST_TIME'] = String(time)
  process.env['NODE_OPTIONS'] = `--import ${resolve(import.meta.dirname, 'other-time.ts')}`
}
