import { existsSync } from 'node:fs'
import { verifyAudit } from '../commands/audit/verify-audit.ts'
import type { AuditReport, Checkpoint } from '../contract/audit.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import type { UpOptions } from '../doors/cli/program.ts'
import { sha256Hex } from '../keys/digest.ts'
import { lockFolder } from '../stores/sqlite/lock-folder.ts'
import { openSqliteLedger } from '../stores/sqlite/open-sqlite-ledger.ts'
import { digestBytes, openLiveKeys, placesIn } from './data-folder.ts'
import { settingsOf } from './local-gate.ts'

/**
 * Verifies the audit of a data folder on which no gate runs: an auditor need not start what they do not trust.
 * INVARIANT: the folder's lock is held. Opening brings the folder of an older release over, which must not happen under a
 * gate of that release.
 */
export async function verifyOffline(options: UpOptions, against: readonly Checkpoint[]): Promise<Result<AuditReport>> {
  const settings = settingsOf(options)
  if (!settings.ok) return settings
  const { data } = settings.value
  const { ledger } = placesIn(data)
  if (!existsSync(ledger)) return refuse('gate.absent', { data })
  const keys = openLiveKeys(data, false)
  if (!keys.ok) return keys
  const lock = lockFolder(data)
  if (!lock.ok) return lock
  try {
    const store = await openSqliteLedger({ file: ledger, stream: 'main', onFault: () => {} })
    if (!store.ok) return store
    const { value: shelves } = store
    const deps = { audit: shelves, shelves, keys: keys.value.checkpoints, digest: sha256Hex, digestBytes }
    const report = await verifyAudit(deps, { against })
    await shelves.close()
    return ok(report)
  } finally {
    lock.value.release()
  }
}
