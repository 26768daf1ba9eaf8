import { resolve } from 'node:path'
import type { HealthEvidence } from './health-evidence.ts'
import { ok, type Result } from '../../kernel/contract/problems.ts'
import { SERENITY_LIMITS, type Serenity, type SerenityProvider } from './serenity.ts'
import { ToolflowVerdict } from './api.ts'
import type { PrepareGuest } from '../../kernel/ports/prepare-guest.ts'
import { healthFiles } from './health-files.ts'
import { openHealthProvider } from './health-providers.ts'
import type { Log } from '../../kernel/ports/log.ts'

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
