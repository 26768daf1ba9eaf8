import { resolve } from 'node:path'
import type { AuditReport } from '../../kernel/contract/audit.ts'
import { ok, refuse, specOf, type Result } from '../../kernel/contract/problems.ts'
import type { DoctorReport, DoctorFinding } from '../../kernel/contract/doctor.ts'
import { clientFor } from '../../adapters/cli/client.ts'
import { count, fieldsOf, itemsOf, textOf } from '../../adapters/cli/print.ts'
import type { UpOptions } from '../../adapters/cli/local-gate.ts'
import {
  needsMigration,
  storeState,
  type StoreSettings,
  hasRowMacs,
  openForReads,
} from '../../adapters/stores/open-store.ts'
import { placesIn } from '../data-folder.ts'
import { partsOf, tableEntries } from '../guest-parts.ts'
import { dataIn, type Settings } from '../load-config.ts'
import { nearestConfig } from '../local-gate.ts'
import { storeOf } from '../store-of.ts'
import { isTrusted } from '../trust/check-trust.ts'
import { verifyOffline } from '../verify-offline.ts'
import { checkClients } from './check-clients.ts'
import { checkConfig, checkPolicy } from './check-config.ts'
import { guardFindings } from '../guards.ts'
import { GUESTS } from '../guests.ts'
import { checkInForce } from './check-in-force.ts'
import { checkData, checkNodeJs, checkPort } from './check-machine.ts'
import { askGate, missingSecrets, tryServers, unanswered } from './check-servers.ts'
import { serversReachingData, reachSays, REACH_REMEDY } from '../servers-reaching-data.ts'
import { DECIDING_KINDS, LOCAL_OWNER } from '../../kernel/contract/caller.ts'
import { configuredChannels } from '../../kernel/approvals/channels.ts'
import type { Config } from '../../kernel/contract/config.ts'
import { latestTime } from '../../kernel/clock/latest-time.ts'
import { checkStoredRows, reportMissingCalls } from '../../kernel/changes/check-stored-rows.ts'
import { guardsOf, checkMinimums } from '../../kernel/changes/minimum-versions.ts'
import { visibleText } from '../../kernel/contract/visible-text.ts'
import { openMinimumVersions } from '../../adapters/keys/minimum-versions.ts'
import { openRowKey } from '../../adapters/keys/row-key.ts'

/** Verifying a larger ledger takes longer than a user of `doctor` wants to wait. */
const QUICK_BYTES = 64 * 1_048_576

/** Checks everything and changes nothing. One finding never hides another. */
export async function doctor(options: UpOptions): Promise<DoctorReport> {
  const file = nearestConfig(options)
  const { settings, findings: configured } = await checkConfig(file)
  const data = resolve(options.data ?? settings?.data ?? dataIn(file))
  const store = settings === undefined ? { folder: data } : storeOf({ ...settings, data })
  const { runs, findings: asked } = await askGate(data)
  const findings: DoctorFinding[] = [
    checkNodeJs(process.version),
    ...guardFindings(GUESTS),
    ...configured,
    ...(await checkData(store)),
  ]
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
    const { says, do: remedy } = specOf(verified.problem)
    return [{ severity: 'error', about: 'ledger', says: `${says} [${code}]`, do: remedy }]
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

/** Whether a file server has access to a folder that contains the data folder. */
export function checkReach(settings: Settings): readonly DoctorFinding[] {
  return serversReachingData(settings).map((reach) => ({
    severity: 'warning',
    about: `server ${reach.server}`,
    says: reachSays(reach),
    do: REACH_REMEDY,
  }))
}

/** Whether there are two people for requests that two should decide. Asks the running gate. */
export async function checkApprovers(
  data: string,
  { auth, channels, approvals }: Pick<Config, 'auth' | 'channels' | 'approvals'>,
): Promise<readonly DoctorFinding[]> {
  const unknown = (because: string): readonly DoctorFinding[] => [
    { severity: 'note', about: 'approvals', says: `how many people can approve is not known here: ${because}` },
  ]
  if (auth.oidc.length > 0) return unknown('an identity provider gives people their roles')
  const reply = await clientFor({ socket: placesIn(data).socket })('GET', '/v1/keys?limit=200')
  if (reply.status !== 200) return unanswered('its keys', reply)
  if (fieldsOf(reply.body)['next'] !== undefined) return unknown('there are more than 200 keys')
  const deciding = itemsOf(reply.body)
    .filter((key) => key['state'] === 'active')
    .map((key) => fieldsOf(key['caller']))
    .filter(({ kind }) => DECIDING_KINDS.some((one) => one === kind))
  const callbacks = configuredChannels(channels).flatMap(({ callback }) =>
    callback === undefined ? [] : [callback.user ?? callback.approver],
  )
  const people = new Set([LOCAL_OWNER.user, ...callbacks, ...deciding.map(({ user }) => textOf(user))])
  const groups = checkGroups(approvals, people)
  if (people.size > 1) return groups
  return [
    ...groups,
    {
      severity: 'note',
      about: 'approvals',
      says: 'there is only one approver: if a preset requires two people, that approver is asked for a passphrase instead',
      do: 'set one with `sluice passphrase set`, or give a second person a key: `sluice keys create approver NAME`',
    },
  ]
}

/** Members of groups who cannot log in, and routes that ask for more people than there are. */
function checkGroups(
  { groups, routes }: Pick<Config['approvals'], 'groups' | 'routes'>,
  people: ReadonlySet<string>,
): readonly DoctorFinding[] {
  const about = 'approvals'
  const absent = Object.entries(groups).flatMap(([group, members]): DoctorFinding[] => {
    const without = members.filter((member) => !people.has(member))
    if (without.length === 0) return []
    const says = `these members of the group \`${group}\` have no key: ${without.join(', ')}`
    return [{ severity: 'warning', about, says, do: 'give each a key: `sluice keys create approver NAME --user NAME`' }]
  })
  const few = routes.flatMap(({ id, group, people: wanted, escalation }): DoctorFinding[] => {
    if (group === undefined) return []
    const able = (groups[group] ?? []).filter((member) => people.has(member)).length
    if (able >= wanted) return []
    const later = escalation === undefined ? '' : `, until the group \`${escalation.to}\` is asked too`
    const says = `the route \`${id}\` requires ${wanted} approvals from the group \`${group}\`, but only ${able} of its members can decide: nothing is approved${later}`
    return [{ severity: 'error', about, says, do: 'give more members of the group a key, or ask for fewer people' }]
  })
  return [...absent, ...few]
}

const SHOWN = 50

/** Rows that something other than the gate wrote, changed or restored. The gate may keep running. */
export async function checkRows(store: StoreSettings): Promise<readonly DoctorFinding[]> {
  const about = 'rows'
  if (!(await hasRowMacs(store))) return []
  const { keys } = placesIn(store.folder)
  const key = openRowKey(keys, true)
  const minimums = openMinimumVersions(keys)
  if (!key.ok || !minimums.ok) {
    const { file = '', why = '' } = !key.ok ? key.problem.about : !minimums.ok ? minimums.problem.about : {}
    const remedy = 'restore the keys folder from a backup, or run `sluice keys reset`; see docs/operate/problems.md'
    return [{ severity: 'error', about: 'keys', says: `${file}: ${why}`, do: remedy }]
  }
  const found = new Map<string, string>()
  let behind: readonly DoctorFinding[] = []
  const note = (why: string) => (row: { readonly table: string; readonly id: string }) =>
    void found.set(`${row.table} ${row.id}`, `${visibleText(row.id.slice(0, 100))} in ${row.table} ${why}`)
  const { tables, audit, accounts, hasAllKeys, close } = await openForReads(
    store,
    key.value.key,
    note('was not written by the gate'),
  )
  try {
    const guards = guardsOf(await tableEntries())
    await checkMinimums(
      tables,
      guards,
      { ...minimums.value, replace: async () => {} },
      note('is older than the version the gate wrote last, or missing'),
      Date.now(),
    )
    await checkStoredRows(tables, guards)
    if (!(await hasAllKeys())) found.set('once', 'single-use keys in the database were deleted or changed')
    await reportMissingCalls({ audit, tables }, note('is in the audit, but its row or its idempotency key is missing'))
    behind = clockAgainst((await latestTime({ accounts, audit })).at)
  } finally {
    await close()
  }
  if (found.size === 0) return [...behind, { severity: 'ok', about, says: 'database integrity is OK' }]
  const shown = [...found.values()].slice(0, SHOWN)
  const more = found.size > SHOWN ? [`and ${found.size - SHOWN} more`] : []
  const rows = [...shown, ...more].map((says) => ({
    severity: 'error' as const,
    about,
    says,
    do: 'something else wrote to the database: find out what, then restore a backup; see docs/operate/backup-and-upgrade.md',
  }))
  return [...behind, ...rows]
}

const AHEAD_MS = 60_000

function clockAgainst(seen: number): readonly DoctorFinding[] {
  const ahead = seen - Date.now()
  if (ahead < AHEAD_MS) return []
  return [
    {
      severity: 'error',
      about: 'clock',
      says: `the gate has seen ${new Date(seen).toISOString()}, ${Math.round(ahead / 60_000)} minutes ahead of this machine's clock; everything expires by the later time`,
      do: 'correct the clock of the machine; if the gate has seen a wrong time, stop it and run `sluice clock correct`',
    },
  ]
}
