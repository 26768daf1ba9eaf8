import { LOCAL_OWNER } from '../kernel/contract/caller.ts'
import { ok, refuse, type Result } from '../kernel/contract/problems.ts'
import type { UpOptions } from '../adapters/cli/local-gate.ts'
import { refuseUnrecorded } from '../kernel/changes/unrecorded.ts'
import { openRowKey } from '../adapters/keys/row-key.ts'
import { lockStore, storeState } from '../adapters/stores/open-store.ts'
import type { PostgresSettings } from '../adapters/stores/store-engine.ts'
import type { Copied } from '../adapters/stores/stored-record.ts'
import { placesIn } from './data-folder.ts'
import type { LoadedSettings } from './load-config.ts'
import { settingsMeant } from './local-gate.ts'
import { openSealing } from './open-sealed-store.ts'
import { randomIds } from './random-ids.ts'
import { storeOf } from './store-of.ts'
import { embedded, withVerified } from './verify-offline.ts'

/** What was copied from a data folder into a database. */
export type MoveReport = {
  readonly data: string
  readonly schema: string
  /** Number of entries of the audit, which was verified in both stores. */
  readonly entries: number
  readonly rows: number
  readonly artifacts: number
}

/**
 * Copies the embedded store of a data folder into a database: nothing is lost, and the audit is verified before and after. The
 * embedded ledger is then set aside, so that no gate starts on it by mistake.
 */
export async function moveData(options: UpOptions, address: string, schema: string): Promise<Result<MoveReport>> {
  if (!/^(?:env:|file:|postgres(?:ql)?:\/\/)/.test(address))
    return refuse('store.not_moved', { why: 'the address does not begin with `postgres://`' })
  const settings = settingsMeant(options)
  if (!settings.ok) return settings
  const { data } = settings.value
  const from = embedded(settings.value)
  const state = await storeState(from)
  if (!state.ok) return state
  if (state.value === undefined) return refuse('gate.absent', { data })
  const before = await withVerified(from, { against: [], compareCheckpointFile: true }, async ({ report }) =>
    ok(report),
  )
  if (!before.ok) return before
  if (!before.value.ok) return refuse('store.not_moved', { why: 'its audit does not verify' })
  const { config } = settings.value
  const to = { ...config.store, postgres: address, schema }
  const target = storeOf({ ...settings.value, config: { ...config, store: to } })
  if (target.postgres === undefined) return refuse('store.not_moved', { why: 'no database was named' })
  const copied = await copyToDatabase({ ...settings.value, config: { ...config, store: to } }, data, target.postgres)
  if (!copied.ok) return copied
  const after = await withVerified(target, { against: [], compareCheckpointFile: true }, async ({ report, store }) => {
    if (!report.ok || report.entries !== before.value.entries)
      return refuse('store.not_moved', { why: 'the audit in the database does not verify' })
    const entry = {
      at: Date.now(),
      type: 'ledger.moved' as const,
      actor: LOCAL_OWNER.id,
      trace: randomIds.trace(),
      subject: {},
    }
    const recorded = await store.ledger.commit([{ kind: 'audit', entry }])
    return recorded === 'committed' ? ok(report) : refuseUnrecorded(recorded)
  })
  if (!after.ok) return after
  const { setAsideLedger } = await import('../adapters/stores/move-store.ts')
  setAsideLedger(data)
  return ok({ data, schema, entries: after.value.entries, rows: copied.value.row, artifacts: copied.value.artifact })
}

/** Copies the embedded store of a folder into the database that the settings name. */
export async function copyToDatabase(
  settings: LoadedSettings,
  folder: string,
  to: PostgresSettings,
): Promise<Result<Copied>> {
  const { keys } = placesIn(folder)
  const lock = await lockStore({ folder })
  if (!lock.ok) return lock
  try {
    const rows = openRowKey(keys, true)
    if (!rows.ok) return rows
    const { seal } = storeOf(settings)
    const sealing = openSealing({ postgres: to, ...(seal === undefined ? {} : { seal }) }, keys, true)
    if (!sealing.ok) return sealing
    const { moveStore } = await import('../adapters/stores/move-store.ts')
    return await moveStore({ folder, to, key: rows.value.key, sealer: sealing.value })
  } finally {
    lock.value.release()
  }
}
