import { lstatSync, readdirSync, rmSync, existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { z } from 'zod'
import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'
import { sha256Hex } from '../../adapters/keys/digest.ts'
import { openPrivateFolder, readPrivateFile, writePrivateFile } from '../../adapters/keys/key-files.ts'

/** A configuration that this user has trusted: its path, and the digest of every file that was covered. */
const TrustRecord = z.strictObject({
  v: z.literal(1),
  config: z.string(),
  files: z.record(z.string(), z.string()),
})
export type TrustRecord = z.infer<typeof TrustRecord>

type Host = {
  readonly home: string
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Outside every project: what a repository contains cannot say that it is trusted. */
export function trustFolder({ home, platform, env }: Host = hostHere()): string {
  const named = platform === 'win32' ? env['LOCALAPPDATA'] : env['XDG_STATE_HOME']
  const usual = platform === 'win32' ? join(home, 'AppData/Local') : join(home, '.local/state')
  const base = named !== undefined && isAbsolute(named) ? named : usual
  return join(base, 'sluice', 'trusted')
}

const hostHere = (): Host => ({ home: homedir(), platform: process.platform, env: process.env })

/**
 * The path that identifies a configuration. Links in its folder are followed, because relative paths in it start from there; a
 * link in place of the file itself is not, because its content is covered anyway.
 */
const recordFile = (config: string): string => join(trustFolder(), `${sha256Hex(config)}.json`)

/** Undefined unless this user, and nobody else, has written a record. */
export function readTrustRecord(config: string): TrustRecord | undefined {
  const file = recordFile(config)
  if (!isOwn(dirname(file)) || !isOwn(file)) return undefined
  const text = readPrivateFile(file)
  const record = text.ok && text.value !== undefined ? parsed(text.value) : undefined
  return record?.config === config ? record : undefined
}

/** One file for each configuration, so that two gates that start at the same time do not overwrite each other's records. */
export function writeTrustRecord(config: string, files: TrustRecord['files']): Result<void> {
  const folder = trustFolder()
  const opened = openPrivateFolder(folder)
  if (!opened.ok || !isOwn(folder))
    return refuse('config.trust_not_kept', { folder, ...(opened.ok ? {} : opened.problem.about) })
  removeOfMissing(folder)
  const record: TrustRecord = { v: 1, config, files }
  const written = writePrivateFile(recordFile(config), `${JSON.stringify(record)}\n`)
  return written.ok ? ok(undefined) : refuse('config.trust_not_kept', { folder, ...written.problem.about })
}

/** Records of configurations that no longer exist: a new one at the same place is asked about again. */
function removeOfMissing(folder: string): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name)
    const text = name.endsWith('.json') ? readPrivateFile(file) : undefined
    const record = text?.ok === true && text.value !== undefined ? parsed(text.value) : undefined
    if (record !== undefined && !existsSync(dirname(record.config))) rmSync(file, { force: true })
  }
}

function parsed(text: string): TrustRecord | undefined {
  try {
    const read = TrustRecord.safeParse(JSON.parse(text))
    return read.success ? read.data : undefined
  } catch {
    return undefined
  }
}

/** Whether only this user can write to it. On Windows the folder is part of the user's profile. */
function isOwn(path: string): boolean {
  const me = process.getuid?.()
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined || stat.isSymbolicLink()) return false
  return me === undefined || (stat.uid === me && (stat.mode & 0o022) === 0)
}
