import { latestTime } from '../../kernel/clock/latest-time.ts'
import { checkStoredRows, reportMissingCalls } from '../../kernel/changes/check-stored-rows.ts'
import { guardsOf, settleMinimums } from '../../kernel/changes/minimum-versions.ts'
import { visibleText } from '../../kernel/contract/visible-text.ts'
import type { DoctorFinding } from '../../kernel/contract/doctor.ts'
import { openMinimumVersions } from '../../adapters/keys/minimum-versions.ts'
import { openRowKey } from '../../adapters/keys/row-key.ts'
import { hasRowMacs, openForReads, type StoreSettings } from '../../adapters/stores/open-store.ts'
import { placesIn } from '../data-folder.ts'
import { tableEntries } from '../guest-parts.ts'

const SHOWN = 50

/** Rows that something other than the gate wrote, changed or restored. The gate may keep running. */
export async function checkRows(store: StoreSettings): Promise<readonly DoctorFinding[]> {
  const about = 'rows'
  if (!(await hasRowMacs(store))) return []
  const { keys } = placesIn(store.folder)
  const key = openRowKey(keys, true)
  const minimums = openMinimumVersions(keys)
  if (!key.ok || !minimums.ok) {
    const { file = '', why = '' } = !key.ok ? key.problem.about : !minimums.ok ? minimums.problem.about : {}
    const remedy = 'restore the keys folder from a backup, or run `sluice keys reset`; see docs/operate/problems.md'
    return [{ severity: 'error', about: 'keys', says: `${file}: ${why}`, do: remedy }]
  }
  const found = new Map<string, string>()
  let behind: readonly DoctorFinding[] = []
  const note = (why: string) => (row: { readonly table: string; readonly id: string }) =>
    void found.set(`${row.table} ${row.id}`, `${visibleText(row.id.slice(0, 100))} in ${row.table} ${why}`)
  const { tables, audit, accounts, hasAllKeys, close } = await openForReads(
    store,
    key.value.key,
    note('was not written by the gate'),
  )
  try {
    const guards = guardsOf(await tableEntries())
    await settleMinimums(
      tables,
      guards,
      { ...minimums.value, replace: async () => {} },
      note('is older than the version the gate wrote last, or missing'),
      Date.now(),
    )
    await checkStoredRows(tables, guards)
    if (!(await hasAllKeys())) found.set('once', 'single-use keys in the database were deleted or changed')
    await reportMissingCalls({ audit, tables }, note('is in the audit, but its row or its idempotency key is missing'))
    behind = clockAgainst((await latestTime({ accounts, audit })).at)
  } finally {
    await close()
  }
  if (found.size === 0) return [...behind, { severity: 'ok', about, says: 'database integrity is OK' }]
  const shown = [...found.values()].slice(0, SHOWN)
  const more = found.size > SHOWN ? [`and ${found.size - SHOWN} more`] : []
  const rows = [...shown, ...more].map((says) => ({
    severity: 'error' as const,
    about,
    says,
    do: 'something else wrote to the database: find out what, then restore a backup; see docs/operate/backup-and-upgrade.md',
  }))
  return [...behind, ...rows]
}

const AHEAD_MS = 60_000

function clockAgainst(seen: number): readonly DoctorFinding[] {
  const ahead = seen - Date.now()
  if (ahead < AHEAD_MS) return []
  return [
    {
      severity: 'error',
      about: 'clock',
      says: `the gate has seen ${new Date(seen).toISOString()}, ${Math.round(ahead / 60_000)} minutes ahead of this machine's clock; everything expires by the later time`,
      do: 'correct the clock of the machine; if the gate has seen a wrong time, stop it and run `sluice clock correct`',
    },
  ]
}
