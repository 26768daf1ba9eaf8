import { loadJudgement } from '../../kernel/attempt/facts/load-judgement.ts'
import type { Problem, Result } from '../../kernel/contract/problems.ts'
import type { DoctorFinding } from '../../kernel/contract/doctor.ts'
import { secretOf, serverConfigs } from '../../adapters/upstream/server-config.ts'
import { SERVER_KINDS } from '../server-kinds.ts'
import { locatedFaults } from '../config-faults.ts'
import type { Settings } from '../load-config.ts'
import { openChannels } from '../open-channels.ts'
import { openFiles, partsOf } from '../guest-parts.ts'

/**
 * Opens everything that a start opens except the ledger, with the same functions, so that missing secrets are found before the
 * start.
 */
export async function checkParts({ config, folder, file }: Settings): Promise<readonly DoctorFinding[]> {
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
