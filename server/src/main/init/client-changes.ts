import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'
import { editMembers, readJsonc } from '../../adapters/files/jsonc.ts'
import { editTables } from '../../adapters/files/toml.ts'
import { editYaml } from './edit-yaml.ts'
import type { Opened } from './plan-import.ts'
import { missingFolders, partOf, realFile, sha256, textIn, writeWhole } from '../../adapters/files/whole-file.ts'
import { gateIn } from './read-entry.ts'

/** A map of servers in a client's JSON file, and those that the gate replaced there. */
type Replaced = { readonly at: readonly string[]; readonly removed: readonly string[] }

/** The text of a file without our hooks; undefined if that is not possible. */
type WithoutHooks = (text: string, before: string) => string | undefined

/**
 * A JSON file that its client or its user has changed since, without our entry and our hooks, and with the servers that were
 * replaced; what was changed since stays. Undefined if that is not possible.
 */
function reverseChange(
  text: string,
  before: string,
  replaced: readonly Replaced[],
  withoutHooks: WithoutHooks,
): string | undefined {
  let next: string | undefined = text
  for (const place of replaced) next = next === undefined ? undefined : withServers(next, before, place)
  return next === undefined ? undefined : withoutHooks(next, before)
}

function withServers(text: string, before: string, { at, removed }: Replaced): string | undefined {
  const [was, now] = [objectAt(before, at), objectAt(text, at)]
  if (was === undefined || now === undefined) return undefined
  const missing = removed.filter((name) => !Object.hasOwn(now, name))
  // Already restored by an undo that was killed, or removed by the user.
  if (!Object.hasOwn(now, 'sluice')) return missing.length === 0 ? text : undefined
  if (!removed.includes('sluice') && gateIn(now['sluice']) === undefined) return undefined
  const back = [...missing, ...(Object.hasOwn(was, 'sluice') ? ['sluice'] : [])]
  // The user has put them back already: one of them is written again.
  const [first = removed[0] ?? '', ...others] = back
  const value = back.length === 0 ? now[first] : was[first]
  let next = editMembers(text, { at, remove: ['sluice'], add: { name: first, value } })
  for (const name of others)
    next = next === undefined ? undefined : editMembers(next, { at, remove: [], add: { name, value: was[name] } })
  return next
}

function objectAt(text: string, at: readonly string[]): Readonly<Record<string, unknown>> | undefined {
  try {
    let value: unknown = readJsonc(text)
    for (const key of at) value = (value as Record<string, unknown>)[key]
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

/** What was changed, so that it can be undone. `made`: folders that did not exist, the innermost first. */
const Manifest = z.strictObject({
  v: z.literal(1),
  undone: z.boolean(),
  /** For the program of the hooks. */
  made: z.array(z.string()).default([]),
  files: z.array(
    z.strictObject({
      file: z.string(),
      backup: z.string(),
      before: z.string(),
      after: z.string(),
      made: z.array(z.string()).default([]),
      /** Of a JSON file: which servers the gate replaced. Without it, a file that was changed since is not restored. */
      replaced: z.array(z.strictObject({ at: z.array(z.string()), removed: z.array(z.string()) })).optional(),
    }),
  ),
})
type Manifest = z.infer<typeof Manifest>
type File = Manifest['files'][number]

export type Replacement = { readonly file: string; readonly text: string; readonly replaced?: readonly Replaced[] }
/** `isMerged`: it had been changed since, and these changes were kept. */
export type Changed = { readonly file: string; readonly backup: string; readonly isMerged?: true }

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

/** What the clients need before they are changed: written after the record of how to undo it. */
export type Needed = Cleanup & { readonly file: string; readonly install: () => Result<void> }
/** `remove`: what no client needs any more. */
export type Cleanup = { readonly remove: () => void; readonly withoutHooks: WithoutHooks }

/**
 * Writes all of them, each after a backup. If one cannot be written, those before it are restored.
 * INVARIANT: before a file is changed, its bytes and how to restore them are on disk.
 */
export function changeClients(
  folder: string,
  replacements: readonly Replacement[],
  needed: Needed,
): Result<readonly Changed[]> {
  const home = join(folder, new Date().toISOString().replaceAll(/[:.]/g, '-'))
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const files = replacements.map(({ file, text, replaced }, at) => {
    const places = replaced?.map((each) => ({ at: [...each.at], removed: [...each.removed] }))
    const more = places === undefined ? {} : { replaced: places }
    const after = sha256(Buffer.from(text))
    const made = [...missingFolders(realFile(file))]
    // A new file has nothing to restore: undoing removes it.
    if (!existsSync(file)) return { file, backup: '', before: ABSENT, after, made, ...more }
    const before = readFileSync(file)
    const backup = join(home, `${at}.backup`)
    writeFileSync(backup, before, { mode: 0o600, flag: 'wx', flush: true })
    return { file, backup, before: sha256(before), after, made, ...more }
  })
  const made = [...missingFolders(needed.file)]
  const manifest: Manifest = { v: 1, undone: false, made, files }
  save(home, manifest)
  const installed = needed.install()
  if (!installed.ok) {
    restore(home, manifest, needed)
    return installed
  }
  for (const { file, text } of replacements) {
    try {
      writeWhole(file, Buffer.from(text))
    } catch (error) {
      restore(home, manifest, needed)
      return refuse('init.client_not_written', { file, why: error instanceof Error ? error.message : '' })
    }
  }
  return ok(files.map(({ file, backup }) => ({ file, backup })))
}

const save = (home: string, manifest: Manifest) =>
  writeWhole(join(home, 'manifest.json'), Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`), 0o600)

/**
 * Restores what the last change replaced, from the first of these folders that has one. Nothing is changed if one of the files is
 * no longer what we wrote.
 */
export function undoClients(folders: readonly string[], cleanup: Cleanup): Result<readonly Changed[]> {
  const place = folders.flatMap(openChanges).at(0)
  const manifest = place === undefined ? undefined : manifestIn(place)
  if (place === undefined || manifest === undefined)
    return refuse('init.nothing_to_undo', { folder: folders.join(', ') })
  // Not reached by an interrupted change, or already restored by an interrupted undo: nothing to do for these.
  const touched = manifest.files.filter(({ file, before }) => digestOf(file) !== before)
  const strange = touched
    .filter((each) => digestOf(each.file) !== each.after && reversed(each, cleanup) === undefined)
    .map(({ file }) => file)
  if (strange.length > 0) return refuse('init.changed_since', { files: strange.join(', '), backups: place })
  const isMerged = (each: File) => touched.includes(each) && digestOf(each.file) !== each.after
  const restored = manifest.files.map((each) => {
    const { file, backup } = each
    return isMerged(each) ? ({ file, backup, isMerged: true } as const) : { file, backup }
  })
  restore(place, manifest, cleanup)
  return ok(restored)
}

/** Also what a killed process left behind: half-written new versions, and folders without the file they were made for. */
function restore(place: string, manifest: Manifest, cleanup: Cleanup): void {
  for (const each of manifest.files) {
    const { file, backup, before, after, made } = each
    const real = realFile(file)
    const now = digestOf(file)
    const rewritten = [before, after].includes(now) ? undefined : reversed(each, cleanup)
    if (rewritten !== undefined) writeWhole(file, Buffer.from(rewritten))
    else if (now === after && before === ABSENT) rmSync(real)
    else if (now === after) writeWhole(file, readFileSync(backup))
    if (existsSync(partOf(real))) rmSync(partOf(real))
    for (const folder of made) removeEmpty(folder)
  }
  cleanup.remove()
  for (const folder of manifest.made) removeEmpty(folder)
  save(place, { ...manifest, undone: true })
}

/** Not if somebody has put something into it since. */
function removeEmpty(folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder)
}

/** Clients rewrite their own settings: then what is ours is taken out, and the rest is kept as it is now. */
function reversed({ file, backup, replaced }: File, { withoutHooks }: Cleanup): string | undefined {
  const [text, before] = [textIn(file), backup === '' ? '{}' : textIn(backup)]
  if (text === undefined || before === undefined || replaced === undefined) return undefined
  return reverseChange(text, before, replaced, withoutHooks)
}

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
