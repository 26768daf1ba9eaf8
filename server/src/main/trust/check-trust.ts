import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'
import { count } from '../../adapters/cli/print.ts'
import { confirmed, hasTerminal } from '../../adapters/cli/confirm.ts'
import { visibleText } from '../../kernel/contract/visible-text.ts'
import { hasContents } from '../data-folder.ts'
import type { Settings } from '../load-config.ts'
import { programsOf } from './programs-of.ts'
import { inRealFolder } from '../../adapters/files/whole-file.ts'
import { readTrustRecord, writeTrustRecord, type TrustRecord } from './trust-records.ts'
import { isAbsolute, join, relative, resolve } from 'node:path'
import type { Config } from '../../kernel/contract/config.ts'
import { processOf, type ServerSettings } from '../../kernel/contract/server-settings.ts'
import { sha256Hex } from '../../adapters/keys/digest.ts'
import { foldersOf, reachOfServer } from '../config-schema.ts'
import { realOf } from '../servers-reaching-data.ts'

type Covered = Pick<Settings, 'file' | 'folder' | 'config' | 'policy'>

/**
 * The digest of every file that decides what the gate starts and allows: the configuration, what it includes (policy, packs,
 * OpenAPI documents), and the programs and scripts of its own folder that it names. What those load themselves is not covered.
 */
function coveredFiles({ file, folder, config, policy }: Covered): Readonly<Record<string, string>> {
  const named = [
    file,
    resolve(folder, policy.file),
    ...foldersOf(config).flatMap((place) => filesIn(resolve(folder, place))),
    ...Object.values(config.servers).flatMap((settings) => filesOf(settings, folder)),
    ...sealProgram(config, folder),
  ]
  const digests: Record<string, string> = {}
  for (const path of named) {
    const digest = digestOf(path)
    if (digest !== undefined) digests[relative(folder, path)] = digest
  }
  return digests
}

/** The names of those that a running gate reads again. */
const liveFiles = ({ file, folder, policy }: Covered): ReadonlySet<string> =>
  new Set([file, resolve(folder, policy.file)].map((path) => relative(folder, path)))

/** The names of the files that differ from what was trusted. */
function differencesIn(
  before: Readonly<Record<string, string>>,
  now: Readonly<Record<string, string>>,
): readonly string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])]
  return names.filter((name) => before[name] !== now[name]).toSorted()
}

function filesIn(place: string): readonly string[] {
  try {
    return readdirSync(place).map((name) => join(place, name))
  } catch {
    return []
  }
}

function filesOf(settings: ServerSettings, folder: string): readonly string[] {
  const { programs = [], files = [] } = reachOfServer(settings)
  const { cwd, env = {} } = processOf(settings) ?? {}
  const words = [...programs.flatMap(({ words }) => words), ...Object.values(env)]
  return [...files.map((file) => resolve(folder, file)), ...ownFiles(words, resolve(folder, cwd ?? '.'), folder)]
}

function sealProgram({ store: { seal } }: Config, folder: string): readonly string[] {
  if (seal === undefined || seal === false || !('command' in seal)) return []
  return ownFiles(seal.command, process.cwd(), folder)
}

/** Other files that a command line names are usually data, which changes with every call. */
const SCRIPT = /\.(?:[cm]?[jt]sx?|py|rb|sh|bash|zsh|pl|php|lua|jar|wasm|ps1|bat|cmd|exe)$/i

/** The programs and scripts inside the configuration's folder, also behind an option: `--import=./hook.js`. */
function ownFiles(words: readonly string[], cwd: string, folder: string): readonly string[] {
  const own = realOf(folder)
  const spelled = words.flatMap((word) => [word, ...word.split(/[=\s:,]/)]).filter((word) => word !== '')
  const places = spelled.flatMap((word) => (isAbsolute(word) ? [word] : [resolve(cwd, word), resolve(folder, word)]))
  return [...new Set(places)].filter((path) => {
    if (!SCRIPT.test(path) && !isExecutable(path)) return false
    const inside = relative(own, realOf(path))
    return !inside.startsWith('..') && !isAbsolute(inside)
  })
}

function isExecutable(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat?.isFile() === true && (stat.mode & 0o111) !== 0
}

/** Undefined if there is no such file. */
function digestOf(path: string): string | undefined {
  try {
    return statSync(path).isFile() ? sha256Hex(readFileSync(path)) : undefined
  } catch {
    return undefined
  }
}

type Files = TrustRecord['files']

/** Trusted in this process, also if it could not be recorded, as in a container without a home. */
const trustedHere = new Map<string, Files>()

/** Whether this user has trusted this configuration with exactly this content. */
export function isTrusted(settings: Settings): boolean {
  const config = inRealFolder(settings.file)
  if (!needsTrust(settings)) return true
  const now = coveredFiles(settings)
  const trusted = [trustedHere.get(config), readTrustRecord(config)?.files]
  return trusted.some((files) => files !== undefined && differencesIn(files, now).length === 0)
}

/** Records that this user trusts the configuration as it is now. */
export function trust(settings: Settings): Result<void> {
  return keep(inRealFolder(settings.file), coveredFiles(settings))
}

function keep(config: string, files: Files): Result<void> {
  trustedHere.set(config, files)
  return writeTrustRecord(config, files)
}

/**
 * For a running gate, which reads its configuration and policy again when they change: call it when that has succeeded, and the
 * next start does not ask about it. A changed program is not started by that, so the next start asks about it.
 */
export function keepTrusting(started: Settings): (now: Settings) => void {
  const before = coveredFiles(started)
  return (now) => {
    const live = liveFiles(now)
    const files = Object.entries(coveredFiles(now)).map(
      ([name, digest]) => [name, live.has(name) ? digest : (before[name] ?? digest)] as const,
    )
    keep(inRealFolder(now.file), Object.fromEntries(files))
  }
}

/** Without a file there is nothing to start, and nothing was prepared in a data folder that is new. */
function needsTrust({ file, config, data }: Settings): boolean {
  return existsSync(file) || Object.keys(config.servers).length > 0 || hasContents(data)
}

/**
 * Asks the person at the terminal once about a configuration that they have not trusted yet.
 * INVARIANT: nothing of the configuration was started or opened before the answer.
 */
export async function agreeTo(settings: Settings, isGiven: boolean): Promise<Result<void>> {
  if (isGiven || !needsTrust(settings)) {
    // A container may have no place to record it; then the option is given again at the next start.
    trust(settings)
    return ok(undefined)
  }
  if (isTrusted(settings)) return ok(undefined)
  const lines = questionOf(settings)
  if (!hasTerminal()) return refuse('config.not_trusted', { file: settings.file, starts: lines.join('\n    ') })
  process.stderr.write(`${lines.join('\n')}\n`)
  if (!(await confirmed('do you trust this configuration?')))
    return refuse('config.not_trusted', { file: settings.file })
  const kept = trust(settings)
  return kept.ok ? ok(undefined) : kept
}

function questionOf(settings: Settings): readonly string[] {
  const { file, data, config } = settings
  const record = readTrustRecord(inRealFolder(file))
  const changed = record === undefined ? [] : differencesIn(record.files, coveredFiles(settings))
  const programs = programsOf(settings)
  return [
    record === undefined
      ? `you have not started a gate with ${visibleText(file)} before`
      : `${visibleText(file)} is not as you trusted it; changed: ${changed.map(visibleText).join(', ')}`,
    programs.length === 0 ? 'it starts no program' : 'with it, the gate starts or contacts:',
    ...programs.map((line) => `  ${line}`),
    `its rules: ${rulesOf(config.policy)}`,
    `its data: ${visibleText(data)}${hasContents(data) ? ' (the folder exists already)' : ''}`,
  ]
}

function rulesOf(policy: Settings['config']['policy']): string {
  if (typeof policy === 'string') return `in ${visibleText(policy)}`
  const { preset, rules } = policy
  return `the preset ${preset}, and ${count(rules.length, 'rule')} of its own`
}
