import { existsSync } from 'node:fs'
import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'
import { count } from '../../adapters/cli/print.ts'
import { confirmed, hasTerminal } from '../../adapters/cli/confirm.ts'
import { visibleText } from '../../kernel/contract/visible-text.ts'
import { hasContents } from '../data-folder.ts'
import type { Settings } from '../load-config.ts'
import { coveredFiles, differencesIn, liveFiles } from './covered-files.ts'
import { programsOf } from './programs-of.ts'
import { inRealFolder } from '../../adapters/files/whole-file.ts'
import { readTrustRecord, writeTrustRecord, type TrustRecord } from './trust-records.ts'

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
