import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { ok, refuse, type Result } from '../../contract/problems.ts'
import { editMembers } from './edit-json.ts'
import { editTables } from './edit-toml.ts'
import { editYaml } from './edit-yaml.ts'
import { withoutHooks } from './hook-files.ts'
import type { Opened } from './plan-import.ts'
import { sha256, writeWhole } from './whole-file.ts'

/** What was changed, so that it can be undone. */
const Manifest = z.strictObject({
  v: z.literal(1),
  undone: z.boolean(),
  files: z.array(z.strictObject({ file: z.string(), backup: z.string(), before: z.string(), after: z.string() })),
})
type Manifest = z.infer<typeof Manifest>

export type Replacement = { readonly file: string; readonly text: string }
export type Changed = { readonly file: string; readonly backup: string }

/** The client's file with the named servers replaced by the gate; everything else is unchanged, byte for byte. */
export function withGate(
  { text, at, format }: Pick<Opened, 'text' | 'at' | 'format'>,
  taken: readonly string[],
  entry: Readonly<Record<string, unknown>>,
): string | undefined {
  if (format === 'toml') return editTables(text, taken, entry)
  if (format === 'yaml') return editYaml(text, { at, remove: taken, add: { name: 'sluice', value: entry } })
  return editMembers(text, { at, remove: taken, add: { name: 'sluice', value: entry } })
}

/**
 * Writes all of them, each after a backup.
 * INVARIANT: before a file is changed, its bytes and how to restore them are on disk.
 */
export function changeClients(folder: string, replacements: readonly Replacement[]): readonly Changed[] {
  const home = join(folder, new Date().toISOString().replaceAll(/[:.]/g, '-'))
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const files = replacements.map(({ file, text }, at) => {
    // A new file has nothing to restore: undoing removes it.
    if (!existsSync(file)) return { file, backup: '', before: ABSENT, after: sha256(Buffer.from(text)) }
    const before = readFileSync(file)
    const backup = join(home, `${at}.backup`)
    writeFileSync(backup, before, { mode: 0o600, flag: 'wx', flush: true })
    return { file, backup, before: sha256(before), after: sha256(Buffer.from(text)) }
  })
  save(home, { v: 1, undone: false, files })
  for (const { file, text } of replacements) writeWhole(file, Buffer.from(text))
  return files.map(({ file, backup }) => ({ file, backup }))
}

const save = (home: string, manifest: Manifest) =>
  writeWhole(join(home, 'manifest.json'), Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`), 0o600)

/**
 * Restores what the last change replaced, from the first of these folders that has one. Nothing is changed if one of the files is
 * no longer what we wrote.
 */
export function undoClients(folders: readonly string[]): Result<readonly Changed[]> {
  const place = folders.flatMap(openChanges).at(0)
  const manifest = place === undefined ? undefined : manifestIn(place)
  if (place === undefined || manifest === undefined)
    return refuse('init.nothing_to_undo', { folder: folders.join(', ') })
  // Not reached by an interrupted change, or already restored by an interrupted undo: nothing to do for these.
  const touched = manifest.files.filter(({ file, before }) => digestOf(file) !== before)
  const strange = touched
    .filter(({ file, after }) => digestOf(file) !== after && unhooked(file) === undefined)
    .map(({ file }) => file)
  if (strange.length > 0) return refuse('init.changed_since', { files: strange.join(', '), backups: place })
  for (const { file, backup, before, after } of touched) {
    const rewritten = digestOf(file) === after ? undefined : unhooked(file)
    if (rewritten !== undefined) writeWhole(file, Buffer.from(rewritten))
    else if (before === ABSENT) rmSync(file)
    else writeWhole(file, readFileSync(backup))
  }
  save(place, { ...manifest, undone: true })
  return ok(manifest.files.map(({ file, backup }) => ({ file, backup })))
}

/** Clients rewrite their own settings: then our hooks are removed and the rest is kept as it is now. */
const unhooked = (file: string) => (existsSync(file) ? withoutHooks(readFileSync(file, 'utf8')) : undefined)

const ABSENT = 'absent'
const digestOf = (file: string) => (existsSync(file) ? sha256(readFileSync(file)) : ABSENT)

/** The changes that were not undone, newest first. */
const openChanges = (folder: string): readonly string[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .toSorted()
        .toReversed()
        .map((name) => join(folder, name))
        .filter((home) => manifestIn(home)?.undone === false)
    : []

function manifestIn(home: string): Manifest | undefined {
  try {
    return Manifest.parse(JSON.parse(readFileSync(join(home, 'manifest.json'), 'utf8')))
  } catch {
    return undefined
  }
}
