import { resolve, join } from 'node:path'
import type { HealthEvidence, HealthFile } from './health-evidence.ts'
import { ok, type Result } from '../../kernel/contract/problems.ts'
import { SERENITY_LIMITS, type Serenity, type SerenityProvider } from './serenity.ts'
import { ToolflowVerdict } from './api.ts'
import type { PrepareGuest } from '../../kernel/ports/prepare-guest.ts'
import { openHealthProvider } from './health-providers.ts'
import type { Log } from '../../kernel/ports/log.ts'
import { lstat, open, readdir } from 'node:fs/promises'
import { constants } from 'node:fs'

const AGE = 'TRINITY_TOOLFLOW_MAX_SCORE_AGE_MINUTES'
const FORCE = 'TRINITY_TOOLFLOW_FORCE_DECISION'
const NO_RISK = 'TRINITY_TOOLFLOW_DISABLE_AUTO_RISK'

type Environment = Readonly<Record<string, string | undefined>>

export const prepareSerenity: PrepareGuest = async ({ config, folder, env, log }) => {
  const health = await openSerenity(config.serenity, folder, env, log)
  if (!health.ok) return health
  return ok(health.value === undefined ? {} : { ports: { health: health.value } })
}

/** The health evidence of a `serenity` section; undefined without one. The environment's switches are read once, here. */
export async function openSerenity(
  serenity: Serenity | undefined,
  folder: string,
  environment: Environment,
  log: Log,
): Promise<Result<HealthEvidence | undefined>> {
  const forced = forcedBy(environment, serenity !== undefined, log)
  if (serenity === undefined) return ok(undefined)
  const open = async (settings: SerenityProvider | undefined, where: string) =>
    settings === undefined ? ok(undefined) : openHealthProvider(settings, where, folder, serenity.provider_timeout_ms)
  const gate = await open(serenity.gate_provider, 'serenity.gate_provider')
  if (!gate.ok) return gate
  const wanted = environment[NO_RISK] === '1' ? undefined : serenity.risk_provider
  const risk = await open(wanted, 'serenity.risk_provider')
  if (!risk.ok) return risk
  return ok({
    files: healthFiles(resolve(folder, serenity.log_dir)),
    max_age_ms: maxAge(environment, log) * 60_000,
    ...(gate.value === undefined ? {} : { gate: gate.value }),
    ...(risk.value === undefined ? {} : { risk: risk.value }),
    ...(forced === undefined ? {} : { forced }),
  })
}

function maxAge(environment: Environment, log: Log): number {
  const said = environment[AGE]
  if (said === undefined || said === '') return SERENITY_LIMITS.max_age_minutes
  const minutes = Number(said)
  if (Number.isFinite(minutes) && minutes > 0) return minutes
  log('warn', `${AGE} is not a number of minutes above 0 and is ignored`)
  return SERENITY_LIMITS.max_age_minutes
}

/** INVARIANT: outside test mode (`ENV=test`) nothing is ever forced. */
function forcedBy(environment: Environment, isOn: boolean, log: Log): ToolflowVerdict | undefined {
  const said = environment[FORCE]
  if (said === undefined || said === '') return undefined
  const word = ToolflowVerdict.safeParse(said.trim().toUpperCase())
  const hindrance =
    environment['ENV'] !== 'test'
      ? 'the gate does not run in test mode (ENV=test)'
      : !isOn
        ? 'there is no `serenity` section'
        : word.success
          ? undefined
          : 'it is not AUTO_RUN, ASK or BLOCK'
  if (hindrance === undefined) return word.data
  log('warn', `${FORCE} is ignored: ${hindrance}`)
  return undefined
}

const NAME = /^trinity_health_.*\.json$/
const MOST_BYTES = 1_048_576
/** If there are more files, only the most recently written ones are read. */
const MOST_FILES = 256
const ABSENT = 'ENOENT'

type Seen = { readonly stamp: string; readonly file: HealthFile }

/**
 * The health files of a folder. Each is read again only if it changed; links are not followed, and nothing huge is read. A folder
 * that does not exist yet is empty.
 */
function healthFiles(folder: string): () => Promise<readonly HealthFile[] | undefined> {
  let seen = new Map<string, Seen>()
  return async () => {
    try {
      const names = (await readdir(folder)).filter((name) => NAME.test(name))
      const looked = await Promise.all(names.map((name) => look(folder, name)))
      const newest = looked
        .filter((one) => one !== undefined)
        .toSorted((a, b) => b.changed_at - a.changed_at)
        .slice(0, MOST_FILES)
      const entries = await Promise.all(
        newest.map(async (one): Promise<[string, Seen]> => {
          const known = seen.get(one.name)
          if (known?.stamp === one.stamp) return [one.name, known]
          return [one.name, { stamp: one.stamp, file: await readFile(folder, one) }]
        }),
      )
      seen = new Map(entries)
      return [...seen.values()].map(({ file }) => file)
    } catch (error) {
      return codeOf(error) === ABSENT ? [] : undefined
    }
  }
}

type Looked = {
  readonly name: string
  readonly changed_at: number
  readonly stamp: string
  readonly fault?: string
}

/** Undefined for a file that has been removed. */
async function look(folder: string, name: string): Promise<Looked | undefined> {
  try {
    const { mtimeMs, size, ino, ctimeMs, isLink, isFile } = statsOf(await lstat(join(folder, name)))
    const fault = isLink ? 'is a link' : !isFile ? 'is not a file' : size > MOST_BYTES ? 'is too large' : undefined
    const seen = { name, changed_at: mtimeMs, stamp: `${ino} ${size} ${mtimeMs} ${ctimeMs}` }
    return fault === undefined ? seen : { ...seen, fault }
  } catch (error) {
    if (codeOf(error) === ABSENT) return undefined
    throw error
  }
}

function statsOf(stats: Awaited<ReturnType<typeof lstat>>) {
  const { mtimeMs, size, ino, ctimeMs } = stats
  const isLink = stats.isSymbolicLink()
  return { mtimeMs: Number(mtimeMs), size: Number(size), ino, ctimeMs, isLink, isFile: stats.isFile() }
}

async function readFile(folder: string, { name, changed_at, fault }: Looked): Promise<HealthFile> {
  if (fault !== undefined) return { name, changed_at, fault }
  try {
    // Whatever replaced it since it was checked: not a link, not a pipe to wait for, and never more than the limit.
    const file = await open(join(folder, name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      const buffer = Buffer.alloc(MOST_BYTES + 1)
      const { bytesRead } = await file.read(buffer, 0, buffer.length, 0)
      if (bytesRead > MOST_BYTES) return { name, changed_at, fault: 'is too large' }
      return { name, changed_at, text: buffer.toString('utf8', 0, bytesRead) }
    } finally {
      await file.close()
    }
  } catch {
    return { name, changed_at, fault: 'cannot be read' }
  }
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)
