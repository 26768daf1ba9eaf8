import { existsSync, readFileSync, realpathSync, watch as watchFolder, type FSWatcher } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { PolicyText } from '../kernel/policy/load-policy.ts'
import type { PolicyRead } from '../kernel/policy/live-policy.ts'
import { readDocument } from './config-document.ts'

/** Where the policy is read from, repeatedly. */
export type PolicySource = {
  read(): PolicyRead
  /** Calls back when the result of `read` has changed. Returns a function that stops it. */
  watch(onChange: () => void): () => void
}

const DEFAULT_POLICY = 'preset: careful\n'
/** Editors write a file in several steps. */
const SETTLE_MS = 100

/**
 * The policy of a configuration file: the file it names, or the part of it that is the policy. `loaded` is the policy that the gate
 * starts with: starting takes seconds, and a change in that time is a change too.
 * INVARIANT: a configuration that is removed or becomes empty while the gate runs is a fault, never the default policy.
 */
export function policyFiles(config: string, loaded?: PolicyText): PolicySource {
  const isExpected = existsSync(config)
  const first = loaded && presentText({ ok: true, value: loaded }, config)
  const read = (): PolicyRead => {
    if (!isExpected || !isMissingOrEmpty(config)) return readPolicy(config)
    const says = MISSING_OR_EMPTY
    const instead = 'write `policy: {}` for the default policy'
    return { ok: false, faults: [{ file: config, line: 1, column: 1, says, instead }] }
  }
  return { read, watch: (onChange) => watchPolicy(config, read, onChange, first) }
}

/** Reads what `policy:` in the configuration refers to. The compiler checks whether it is valid. */
export function readPolicy(config: string): PolicyRead {
  const { text: given, document, lines } = readDocument(config)
  // For invalid YAML the compiler names the place.
  if (document.errors.length > 0) return { ok: true, value: { text: given, file: config, at: ['policy'] } }
  if (!document.has('policy')) return { ok: true, value: { text: DEFAULT_POLICY, file: 'the default policy' } }
  const named = document.get('policy')
  if (typeof named !== 'string') return { ok: true, value: { text: given, file: config, at: ['policy'] } }
  const file = resolve(dirname(config), named)
  const text = textOf(file)
  if (text !== undefined) return { ok: true, value: { text, file } }
  const node = document.get('policy', true) as { range?: [number, number, number] | null } | undefined
  const { line, col } = lines.linePos(node?.range?.[0] ?? 0)
  const says = `there is no readable file \`${named}\``
  const instead = "write the path of a policy file, relative to this file's folder, or the policy itself"
  return { ok: false, faults: [{ file: config, line, column: col, says, instead }] }
}

export const MISSING_OR_EMPTY = 'the configuration file is missing or empty'
export const isMissingOrEmpty = (config: string): boolean => (textOf(config) ?? '').trim() === ''

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

/**
 * Watches folders, not files: editors and deployments replace a file, or a link on the path. Whatever changes there, only a
 * different text counts.
 */
function watchPolicy(config: string, read: () => PolicyRead, onChange: () => void, first?: string): () => void {
  const watchers = new Map<string, FSWatcher>()
  const present = () => presentText(read(), config)
  let seen = first ?? present()
  let glimpsed = seen
  let timer: NodeJS.Timeout | undefined
  const look = () => {
    timer = undefined
    const now = present()
    arm()
    if (now === seen) return
    if (now === glimpsed) {
      seen = now
      onChange()
      return
    }
    // Possibly half-written: it counts if it is still the same a moment later.
    glimpsed = now
    timer = setTimeout(look, SETTLE_MS)
  }
  function arm(): void {
    const wanted = new Set([config, policyFileOf(read())].flatMap(foldersOf))
    for (const [folder, watcher] of watchers) {
      if (wanted.has(folder)) continue
      watcher.close()
      watchers.delete(folder)
    }
    for (const folder of wanted) {
      if (watchers.has(folder) || !existsSync(folder)) continue
      const watcher = watchFolder(folder, { persistent: false }, () => {
        // Not delayed by further events: a folder that constantly changes would never be read.
        timer ??= setTimeout(look, SETTLE_MS)
      })
      // A removed folder is watched again as soon as something beside it changes; until then a reload can be requested.
      watcher.on('error', () => watchers.delete(folder))
      watchers.set(folder, watcher)
    }
  }
  arm()
  if (first !== undefined && present() !== first) timer = setTimeout(look, SETTLE_MS)
  return () => {
    clearTimeout(timer)
    for (const watcher of watchers.values()) watcher.close()
  }
}

/** Includes the rest of the configuration: tool servers are reloaded too. */
const presentText = (read: PolicyRead, config: string): string => JSON.stringify([read, textOf(config)])

const policyFileOf = (read: PolicyRead): string | undefined => (read.ok ? read.value.file : read.faults[0]?.file)

/** The folder of a file, and the one its links lead to. */
function foldersOf(file: string | undefined): string[] {
  if (file === undefined) return []
  const own = dirname(resolve(file))
  return existsSync(file) ? [own, dirname(realpathSync(file))] : [own]
}
