import { join } from 'node:path'
import { FLOORED, type FlooredRow, type FlooredTable, type RowFloors } from '../commands/changes/row-floors.ts'
import { Bug, ok, refuse, type Result } from '../contract/problems.ts'
import { readPrivateFile } from './key-files.ts'
import { writeAtomically } from './write-atomically.ts'

export const FLOORS_FILE = 'row-floors.json'

type Floors = Map<string, FlooredRow>

/** The floors in a file beside the keys: somebody who can only write the database cannot lower them. */
export function openRowFloors(folder: string): Result<RowFloors> {
  const file = join(folder, FLOORS_FILE)
  const text = readPrivateFile(file)
  if (!text.ok) return text
  const found = text.value === undefined ? [] : parsed(text.value)
  if (found === undefined) return refuse('key.absent', { file, why: 'unreadable' })
  let floors = mapOf(found)
  let writing: Promise<Result<void>> = Promise.resolve(ok(undefined))
  const save = async (): Promise<void> => {
    // One after the other; each writes the newest state.
    writing = writing.then(() => writeAtomically(file, textOf(floors)))
    const written = await writing
    if (!written.ok)
      throw new Bug(`\`${FLOORS_FILE}\` in the keys folder cannot be written: ${written.problem.about['says']}`)
  }
  return ok({
    of: (table, id) => floors.get(`${table} ${id}`)?.version,
    all: () => [...floors.values()],
    async raise(rows) {
      // Another process on the same folder may have raised some too.
      const stored = readPrivateFile(file)
      for (const row of [...((stored.ok && parsed(stored.value ?? '')) || []), ...rows]) {
        const name = `${row.table} ${row.id}`
        if (row.version > (floors.get(name)?.version ?? 0)) floors.set(name, row)
      }
      await save()
    },
    async replace(rows) {
      const before = textOf(floors)
      floors = mapOf(rows)
      if (textOf(floors) !== before || text.value === undefined) await save()
    },
  })
}

const mapOf = (rows: readonly FlooredRow[]): Floors => new Map(rows.map((row) => [`${row.table} ${row.id}`, row]))

const textOf = (floors: Floors): string =>
  JSON.stringify({ v: 1, floors: [...floors.values()].map(({ table, id, version }) => [table, id, version]) })

function parsed(text: string): readonly FlooredRow[] | undefined {
  try {
    const { v, floors } = JSON.parse(text) as { v: unknown; floors: readonly (readonly unknown[])[] }
    const rows = floors.flatMap(([table, id, version]) => rowOf(table, id, version))
    return v === 1 && rows.length === floors.length ? rows : undefined
  } catch {
    return undefined
  }
}

function rowOf(table: unknown, id: unknown, version: unknown): readonly FlooredRow[] {
  const isRow =
    (FLOORED as readonly unknown[]).includes(table) && typeof id === 'string' && Number.isSafeInteger(version)
  return isRow ? [{ table: table as FlooredTable, id, version: Number(version) }] : []
}
