import type { DatabaseSync } from 'node:sqlite'

/**
 * Removes triggers and views, of which this gate has none: a trigger would run inside its transactions and could delete what was just
 * stored. Returns the names of what was removed.
 */
export function dropForeign(db: DatabaseSync): readonly string[] {
  const found = db.prepare("SELECT type, name FROM sqlite_schema WHERE type IN ('trigger', 'view')").all()
  for (const { type, name } of found)
    db.exec(`DROP ${type === 'view' ? 'VIEW' : 'TRIGGER'} IF EXISTS "${String(name).replaceAll('"', '""')}"`)
  return found.map(({ type, name }) => `${String(type)} \`${String(name).slice(0, 100)}\``)
}
