import { count } from '../../adapters/cli/print.ts'
import { existsSync } from 'node:fs'
import { loadPolicy } from '../../kernel/policy/load-policy.ts'
import type { DoctorFinding } from '../../kernel/contract/doctor.ts'
import { sha256Hex } from '../../adapters/keys/digest.ts'
import { faultsIn, locatedFaults } from '../config-faults.ts'
import { checkPolicy as lintPolicy, openFiles, partsOf } from '../guest-parts.ts'
import { loadConfig, type LoadedSettings, type Settings } from '../load-config.ts'
import { isLoopback } from '../prepare-credentials.ts'
import { loadJudgement } from '../../kernel/attempt/facts/load-judgement.ts'
import type { Problem, Result } from '../../kernel/contract/problems.ts'
import { secretOf, serverConfigs } from '../../adapters/upstream/server-config.ts'
import { SERVER_KINDS } from '../server-kinds.ts'
import { openChannels } from '../open-channels.ts'

export type Configured = { readonly settings: Settings | undefined; readonly findings: readonly DoctorFinding[] }

/** Checks the file, its references, and its policy, and reports every mistake. */
export async function checkConfig(file: string): Promise<Configured> {
  const about = 'configuration'
  if (!existsSync(file)) {
    const says = `there is no ${file}; without it the gate has no tool servers`
    const loaded = loadConfig(file, false)
    const remedy = 'write one with `sluice init`'
    return {
      settings: loaded.ok ? loaded.value : undefined,
      findings: [{ severity: 'warning', about, says, do: remedy }],
    }
  }
  const loaded = loadConfig(file, true)
  if (!loaded.ok) {
    const { paths = '', says = paths, file: where = file } = loaded.problem.about
    const remedy = `correct it in ${where}; docs/sluice.schema.json lists every key`
    return {
      settings: undefined,
      findings: faultsIn(says).map((fault) => ({ severity: 'error', about, says: fault, do: remedy })),
    }
  }
  const settings = loaded.value
  return {
    settings,
    findings: [
      { severity: 'ok', about, says: file },
      ...variablesIn(settings),
      ...(await checkParts(settings)),
      ...listenIn(settings),
    ],
  }
}

/** The environment overrides the file, so a reader of the file must be told. */
function variablesIn({ env }: LoadedSettings): readonly DoctorFinding[] {
  const about = 'environment'
  const set = env.overrides.map(({ name, path }): DoctorFinding => ({
    severity: 'ok',
    about,
    says: `${name} sets ${path.join('.')}`,
  }))
  const ignored = env.ignored.map((name): DoctorFinding => ({
    severity: 'warning',
    about,
    says: `${name} is not a configuration key and has no effect`,
    do: 'if it should set a key, see docs/operate/configure.md for the names; otherwise ignore this',
  }))
  return [...set, ...ignored]
}

function listenIn({ config }: Settings): readonly DoctorFinding[] {
  const { host, port } = config.listen
  if (isLoopback(host)) return []
  const says = `it listens on ${host}:${port}, which other machines can reach`
  const remedy = 'give every caller a key (`sluice keys create`) and put a TLS proxy in front, or listen on 127.0.0.1'
  return [{ severity: 'warning', about: 'listen', says, do: remedy }]
}

/** The policy as the gate would load it. */
export async function checkPolicy(settings: Settings): Promise<readonly DoctorFinding[]> {
  const about = 'policy'
  const loaded = loadPolicy(sha256Hex, settings.policy)
  if (!loaded.ok) {
    const remedy = 'correct this line; docs/policy.md describes the policy language'
    return faultsIn(loaded.problem.about['paths'] ?? '').map((says) => ({ severity: 'error', about, says, do: remedy }))
  }
  const findings: DoctorFinding[] = []
  const { preset } = loaded.value
  if (preset === 'observe')
    findings.push({
      severity: 'warning',
      about,
      says: 'the preset is observe: every call runs and is only recorded',
      do: 'set `policy: { preset: careful }` when you have seen enough; `sluice policy replay` shows what it would have stopped',
    })
  const { findings: linted } = await lintPolicy(loaded.value, {})
  if (linted.length > 0)
    findings.push({
      severity: 'warning',
      about,
      says: `\`sluice policy lint\` has ${linted.length} findings`,
      do: 'run it to read them',
    })
  return findings.length > 0
    ? findings
    : [{ severity: 'ok', about, says: `preset ${preset}, ${count(loaded.value.operator.rules.length, 'rule')}` }]
}

/**
 * Opens everything that a start opens except the ledger, with the same functions, so that missing secrets are found before the
 * start.
 */
async function checkParts({ config, folder, file }: Settings): Promise<readonly DoctorFinding[]> {
  const files = await openFiles(config.servers, folder)
  const checks = await partsOf((guest) => guest.checks)
  const opened: readonly (Result<unknown> | undefined)[] = [
    serverConfigs(SERVER_KINDS, config.servers, folder),
    await loadJudgement(config, await partsOf(({ judging }) => judging), {
      secretOf: (text) => secretOf(text, folder, process.env),
      files,
    }),
    openChannels(config.channels, await partsOf(({ channel }) => channel), {
      folder,
      clock: Date.now,
      stopping: new AbortController().signal,
      log() {},
    }),
    ...(await Promise.all(checks.map(async ({ settings }) => settings?.({ config, folder, env: process.env })))),
  ]
  return opened.flatMap((part) => (part === undefined || part.ok ? [] : findingsOf(part.problem, file)))
}

const ABSENT = 'the secret is missing'

function findingsOf({ about: { paths = '' } }: Problem, file: string): readonly DoctorFinding[] {
  return locatedFaults(paths, file).map((says): DoctorFinding => {
    const isAbsent = says.endsWith(ABSENT)
    const remedy = isAbsent
      ? 'set the variable in the environment of the gate (this terminal shows its own only), or create the file'
      : `correct it in ${file}`
    return { severity: 'error', about: isAbsent ? 'secrets' : 'configuration', says, do: remedy }
  })
}
