import { resolve } from 'node:path'
import type { AuditReport } from '../../kernel/contract/audit.ts'
import { ok, PROBLEMS, refuse, type Result } from '../../kernel/contract/problems.ts'
import type { DoctorReport, DoctorFinding } from '../../kernel/contract/doctor.ts'
import { clientFor } from '../../adapters/cli/client.ts'
import { count, fieldsOf } from '../../adapters/cli/print.ts'
import type { UpOptions } from '../../adapters/cli/local-gate.ts'
import { needsMigration, storeState, type StoreSettings } from '../../adapters/stores/open-store.ts'
import { placesIn } from '../data-folder.ts'
import { partsOf } from '../guest-parts.ts'
import { dataIn, type Settings } from '../load-config.ts'
import { nearestConfig } from '../local-gate.ts'
import { storeOf } from '../store-of.ts'
import { isTrusted } from '../trust/check-trust.ts'
import { verifyOffline } from '../verify-offline.ts'
import { checkApprovers } from './check-approvers.ts'
import { checkClients } from './check-clients.ts'
import { checkConfig, checkPolicy } from './check-config.ts'
import { checkInForce } from './check-in-force.ts'
import { checkData, checkNode, checkPort } from './check-machine.ts'
import { checkReach } from './check-reach.ts'
import { checkRows } from './check-rows.ts'
import { askGate, missingSecrets, tryServers } from './check-servers.ts'

/** Verifying a larger ledger takes longer than a user of `doctor` wants to wait. */
const QUICK_BYTES = 64 * 1_048_576

/** Checks everything and changes nothing. One finding never hides another. */
export async function doctor(options: UpOptions): Promise<DoctorReport> {
  const file = nearestConfig(options)
  const { settings, findings: configured } = await checkConfig(file)
  const data = resolve(options.data ?? settings?.data ?? dataIn(file))
  const store = settings === undefined ? { folder: data } : storeOf({ ...settings, data })
  const { runs, findings: asked } = await askGate(data)
  const findings: DoctorFinding[] = [checkNode(process.version), ...configured, ...(await checkData(store))]
  findings.push(...asked)
  if (settings !== undefined) {
    findings.push(...(await checkPolicy(settings)), ...checkReach({ ...settings, data }))
    if (runs === 'yes')
      findings.push(...(await checkInForce({ ...settings, data })), ...(await checkApprovers(data, settings.config)))
    const mayContact = isTrusted({ ...settings, data })
    if (runs === 'no') {
      const { host, port } = settings.config.listen
      findings.push(...(await checkPort(host, port)), ...missingSecrets(settings))
      findings.push(...(mayContact ? await tryServers({ ...settings, data }) : untriedServers(settings)))
    }
    findings.push(...checkShared(settings.config.store))
    for (const { findings: more } of await partsOf((guest) => guest.checks))
      findings.push(...((await more?.({ ...settings, env: process.env }, mayContact)) ?? []))
  }
  findings.push(
    ...(await checkRows(store)),
    ...(await checkAudit(options, store, runs !== 'no')),
    ...(await checkClients(data, file, runs)),
  )
  return { ok: !findings.some(({ severity }) => severity === 'error'), findings }
}

/** Nothing of a configuration is started or contacted before its owner has seen what that would be. */
function untriedServers({ file }: Settings): readonly DoctorFinding[] {
  return [
    {
      severity: 'note',
      about: 'trust',
      says: `you have not trusted ${file} as it is now, so its tool servers and its hub were not tried`,
      do: 'run `sluice up` in a terminal: it shows what it would start, and asks once',
    },
  ]
}

/** Nodes that do not share their keys. */
function checkShared({ postgres, key_secret }: Settings['config']['store']): readonly DoctorFinding[] {
  if (postgres === undefined || key_secret !== undefined) return []
  return [
    {
      severity: 'note',
      about: 'keys',
      says: 'there is no `store.key_secret`, so the keys folder has to be copied to every node by hand, and keys are not rotated while other nodes run',
      do: 'give all nodes one secret of at least 32 random bytes; see docs/operate/many-nodes.md',
    },
  ]
}

async function checkAudit(
  options: UpOptions,
  store: StoreSettings,
  isRunning: boolean,
): Promise<readonly DoctorFinding[]> {
  const about = 'audit'
  const data = store.folder
  const state = await storeState(store)
  if (!state.ok || state.value === undefined) return []
  if (state.value.bytes > QUICK_BYTES)
    return [{ severity: 'note', about, says: 'it is too long to verify here', do: 'run `sluice audit verify`' }]
  if (!isRunning && (await needsMigration(store)))
    return [
      { severity: 'note', about, says: 'it was written by an older release and will be migrated at the next start' },
    ]
  const verified = isRunning ? await verifiedByGate(data) : await verifyOffline({ ...options, data }, [])
  if (!verified.ok) {
    const { code } = verified.problem
    // Already reported by the findings about configuration and keys.
    if (code === 'config.invalid' || code === 'key.absent') return []
    if (code === 'gate.running')
      return [{ severity: 'note', about, says: 'the gate did not verify it', do: 'run `sluice audit verify`' }]
    return [{ severity: 'error', about: 'ledger', says: `${PROBLEMS[code].says} [${code}]`, do: PROBLEMS[code].do }]
  }
  const { ok: isWhole, entries, checkpoints } = verified.value
  if (isWhole)
    return [
      {
        severity: 'ok',
        about,
        says: `verifies: ${count(entries, 'entry', 'entries')}, ${count(checkpoints, 'checkpoint')}`,
      },
    ]
  return [
    {
      severity: 'error',
      about,
      says: 'it does not verify',
      do: 'run `sluice audit verify` for the first bad entry; see docs/operate/backup-and-upgrade.md',
    },
  ]
}

type Verified = Pick<AuditReport, 'ok' | 'entries' | 'checkpoints'>

/** The running gate reads its own ledger: it may be of another release than this one. */
async function verifiedByGate(data: string): Promise<Result<Verified>> {
  const { status, body } = await clientFor({ socket: placesIn(data).socket })('GET', '/v1/audit/verify')
  const { ok: isWhole, entries, checkpoints } = fieldsOf(body)
  if (status !== 200) return refuse('gate.running', { folder: data })
  return ok({ ok: isWhole === true, entries: Number(entries), checkpoints: Number(checkpoints) })
}
