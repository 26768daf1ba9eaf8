import { join } from 'node:path'
import type { MinimumVersion, MinimumVersions } from '../../kernel/changes/minimum-versions.ts'
import type { Table } from '../../kernel/ports/ledger.ts'
import { Bug, ok, refuse, type Result } from '../../kernel/contract/problems.ts'
import { readPrivateFile } from './key-files.ts'
import { writeAtomically } from './write-atomically.ts'

export const MINIMUM_VERSIONS_FILE = 'row-floors.json'

/** By table and id. Not by a text of both, which would be made for each row that is read. */
type Minimums = Map<string, Map<string, MinimumVersion>>

/** The minimum versions in a file beside the keys: somebody who can only write the database cannot lower them. */
export function openMinimumVersions(folder: string): Result<MinimumVersions> {
  const file = join(folder, MINIMUM_VERSIONS_FILE)
  const text = readPrivateFile(file)
  if (!text.ok) return text
  const found = text.value === undefined ? [] : parsed(text.value)
  if (found === undefined) return refuse('key.absent', { file, why: 'unreadable' })
  let minimums = mapOf(found)
  let writing: Promise<Result<void>> = Promise.resolve(ok(undefined))
  const save = async (): Promise<void> => {
    // One after the other; each writes the newest state.
    writing = writing.then(() => writeAtomically(file, textOf(minimums)))
    const written = await writing
    if (!written.ok)
      throw new Bug(
        `\`${MINIMUM_VERSIONS_FILE}\` in the keys folder cannot be written: ${written.problem.about['says']}`,
      )
  }
  return ok({
    of: (table, id) => minimums.get(table)?.get(id)?.version,
    all: () => rowsIn(minimums),
    async raise(rows) {
      // Another process on the same folder may have raised some too.
      const stored = readPrivateFile(file)
      for (const row of [...((stored.ok && parsed(stored.value ?? '')) || []), ...rows])
        if (row.version > (minimums.get(row.table)?.get(row.id)?.version ?? 0)) add(minimums, row)
      await save()
    },
    async replace(rows) {
      const before = textOf(minimums)
      minimums = mapOf(rows)
      if (textOf(minimums) !== before || text.value === undefined) await save()
    },
  })
}

function mapOf(rows: readonly MinimumVersion[]): Minimums {
  const minimums: Minimums = new Map()
  for (const row of rows) add(minimums, row)
  return minimums
}

function add(minimums: Minimums, row: MinimumVersion): void {
  const ofTable = minimums.get(row.table) ?? new Map<string, MinimumVersion>()
  minimums.set(row.table, ofTable.set(row.id, row))
}

const rowsIn = (minimums: Minimums): readonly MinimumVersion[] =>
  [...minimums.values()].flatMap((ofTable) => [...ofTable.values()])

const textOf = (minimums: Minimums): string =>
  JSON.stringify({ v: 1, floors: rowsIn(minimums).map(({ table, id, version }) => [table, id, version]) })

function parsed(text: string): readonly MinimumVersion[] | undefined {
  try {
    const { v, floors } = JSON.parse(text) as { v: unknown; floors: readonly (readonly unknown[])[] }
    const rows = floors.flatMap(([table, id, version]) => rowOf(table, id, version))
    return v === 1 && rows.length === floors.length ? rows : undefined
  } catch {
    return undefined
  }
}

function rowOf(table: unknown, id: unknown, version: unknown): readonly MinimumVersion[] {
  const isRow = typeof table === 'string' && typeof id === 'string' && Number.isSafeInteger(version)
  // Or of a table that this build does not have.
  return isRow ? [{ table: table as Table, id, version: Number(version) }] : []
}
