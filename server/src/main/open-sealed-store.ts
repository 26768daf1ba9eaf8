import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { guardsOf, guardVersions, checkMinimums } from '../kernel/changes/minimum-versions.ts'
import type { Change } from '../kernel/ports/ledger.ts'
import { ok, type Result } from '../kernel/contract/problems.ts'
import { openMinimumVersions } from '../adapters/keys/minimum-versions.ts'
import { openRowKey } from '../adapters/keys/row-key.ts'
import { createSealing, readMasterKey, SEAL_KEY_FILE, type Sealing } from '../adapters/keys/seal-keys.ts'
import { hasRowMacs, openStore, storeState, type Store, type StoreSetup } from '../adapters/stores/open-store.ts'
import { tableEntries } from './guest-parts.ts'
import { placesIn } from './data-folder.ts'
import { randomIds } from './random-ids.ts'

/** An invalid row: without the right MAC, or older than the one that the gate wrote last. */
export type RejectedRow = { readonly table: string; readonly id: string; readonly why: 'forged' | 'older' }

export type SealedSetup = Omit<StoreSetup, 'rows' | 'onForged'> & {
  /** Called once for each. */
  readonly onRejected: (found: RejectedRow) => void
}
/** Opens the store of a data folder with the key of its rows. Rows of an earlier release get their MACs, once. */
export async function openSealedStore({ onRejected, ...setup }: SealedSetup): Promise<Result<Store>> {
  const { keys } = placesIn(setup.folder)
  const state = await storeState(setup)
  if (!state.ok) return state
  const isNew = state.value === undefined
  const rows = openRowKey(keys, await hasRowMacs(setup))
  if (!rows.ok) return rows
  const minimums = openMinimumVersions(keys)
  if (!minimums.ok) return minimums
  const reported = new Set<string>()
  const reject = (why: RejectedRow['why']) => (found: { readonly table: string; readonly id: string }) => {
    const name = JSON.stringify([found.table, found.id, why])
    if (reported.has(name)) return
    reported.add(name)
    onRejected({ ...found, why })
    record({ ...found, why })
  }
  const sealing = openSealing(setup, keys, isNew)
  if (!sealing.ok) return sealing
  const opened = await openStore({
    ...setup,
    sealer: sealing.value,
    rows: { key: rows.value.key, sealed: rows.value.sealed, heads: rows.value.heads, onces: rows.value.onces },
    onForged: reject('forged'),
  })
  if (!opened.ok) return opened
  const record = (found: RejectedRow): void => {
    opened.value.ledger.commit([findingOf(found)]).catch((error: unknown) => setup.onFault(error as Error))
  }
  const sealed = rows.value.noteSealed(setup.postgres === undefined)
  if (!sealed.ok) {
    await opened.value.close()
    return sealed
  }
  if (!rows.value.sealed && !isNew) await recordSealing(opened.value)
  const guards = guardsOf(await tableEntries())
  await checkMinimums(opened.value.tables, guards, minimums.value, reject('older'), Date.now())
  const guarded = guardVersions(opened.value, guards, minimums.value, reject('older'))
  return ok({ ...opened.value, ...guarded })
}

/** Contents are sealed if the configuration names a key, and in a database unless it says no. */
export function openSealing(
  { seal, postgres }: Pick<SealedSetup, 'seal' | 'postgres'>,
  keys: string,
  isNew: boolean,
): Result<Sealing | undefined> {
  const isOwnKey = existsSync(join(keys, SEAL_KEY_FILE))
  // A store that came from a database is sealed with the key in this folder.
  if (seal === false || (seal === undefined && postgres === undefined && !isOwnKey)) return ok(undefined)
  const master = readMasterKey(seal ?? { folder: keys, mayMake: isNew })
  return master.ok ? ok(createSealing(master.value, Date.now)) : master
}

/** Records in the audit when rows got their first MACs, and how many credentials were trusted then. */
async function recordSealing({ ledger, tables }: Store): Promise<void> {
  const about = { credentials: await tables.count('credentials', {}) }
  const entry = {
    at: Date.now(),
    type: 'ledger.sealed' as const,
    actor: 'gate',
    trace: randomIds.trace(),
    subject: {},
    about,
  }
  await ledger.commit([{ kind: 'audit', entry }])
}

function findingOf({ table, id, why }: RejectedRow): Change {
  const entry = {
    at: Date.now(),
    type: 'row.rejected' as const,
    actor: 'gate',
    trace: randomIds.trace(),
    subject: { table, row: id.slice(0, SHOWN) },
    about: { severity: 'critical', why },
  }
  return { kind: 'audit', entry }
}

/** An id that somebody else wrote can have any length. */
const SHOWN = 200
