import { join } from 'node:path'
import { quoted } from '../../kernel/contract/visible-text.ts'
import type { DoctorFinding } from '../../kernel/contract/doctor.ts'
import { clientFor, NOT_LISTENING, UNREACHED, type CliClient, type GateResponse } from '../../adapters/cli/client.ts'
import { count, fieldsOf, itemsOf, textOf } from '../../adapters/cli/print.ts'
import { openToolServers } from '../../adapters/upstream/open-tool-servers.ts'
import { serverConfigs } from '../../adapters/upstream/server-config.ts'
import { SERVER_KINDS } from '../server-kinds.ts'
import { placesIn } from '../data-folder.ts'
import { onlyPartOf } from '../guest-parts.ts'
import type { Settings } from '../load-config.ts'
import { packageVersion } from '../package-version.ts'

const START_MS = 20_000

/** `unknown`: something prevents an answer, so a gate may be running. */
export type AskedGate = { readonly runs: 'yes' | 'no' | 'unknown'; readonly findings: readonly DoctorFinding[] }

/** What the running gate says about itself and its servers. */
export async function askGate(data: string): Promise<AskedGate> {
  const { socket } = placesIn(data)
  const ask = clientFor({ socket })
  const alive = await ask('GET', '/healthz')
  if (alive.status === UNREACHED && alive.why === NOT_LISTENING) {
    const says = `no gate is running on this data folder: nothing listens on ${socket}`
    return { runs: 'no', findings: [{ severity: 'note', about: 'gate', says, do: 'start it with `sluice up`' }] }
  }
  if (alive.status <= UNREACHED) {
    const says = `whether a gate is running is not known: ${alive.why ?? 'the connection broke'} (${socket})`
    const remedy = 'run this as the user who runs the gate; if that is you, look into its log'
    return { runs: 'unknown', findings: [{ severity: 'error', about: 'gate', says, do: remedy }] }
  }
  return { runs: 'yes', findings: await findingsFrom(ask) }
}

/** An answer that a gate did not give is not one without contents. */
export const unanswered = (what: string, { status }: GateResponse): readonly DoctorFinding[] =>
  status === 200
    ? []
    : [
        {
          severity: 'warning',
          about: 'gate',
          says: `it did not answer about ${what} (status ${status}), so this was not checked`,
          do: 'look into its log',
        },
      ]

async function findingsFrom(ask: CliClient): Promise<readonly DoctorFinding[]> {
  const ready = await ask('GET', '/readyz')
  const answer = await ask('GET', '/v1/servers')
  const listed = await ask('GET', '/v1/tools')
  const runs = await ask('GET', '/v1/runs?status=faulted&limit=50')
  const served = answer.body
  const tools = itemsOf(listed.body)
  const version = textOf(fieldsOf(served)['version'])
  const says = answer.status === 200 ? `running, version ${version}` : 'running; its version is not known'
  const findings: DoctorFinding[] = [
    { severity: 'ok', about: 'gate', says },
    ...unanswered('its servers', answer),
    ...unanswered('its tools', listed),
    ...unanswered('its runs', runs),
  ]
  if (answer.status === 200 && version !== packageVersion())
    findings.push({
      severity: 'warning',
      about: 'gate',
      says: `version ${version} is running, ${packageVersion()} is installed`,
      do: 'restart it',
    })
  if (ready.status !== 200)
    findings.push({
      severity: 'error',
      about: 'gate',
      says: 'it is not accepting calls',
      do: textOf(fieldsOf(ready.body)['detail']),
    })
  for (const server of itemsOf(served))
    findings.push(serverFinding(textOf(server['server']), server), ...listingFindings(server))
  findings.push(...itemsOf(runs.body).map(faultFinding))
  const waiting = tools.filter((tool) => tool['admitted'] === false).map((tool) => textOf(tool['tool_id']))
  if (waiting.length > 0)
    findings.push({
      severity: 'warning',
      about: 'tools',
      says: `${count(waiting.length, 'new or changed tool')} wait${waiting.length === 1 ? 's' : ''} to be admitted: ${waiting.slice(0, 5).join(', ')}`,
      do: 'look at them with `sluice tools diff`, then `sluice admit`',
    })
  return findings
}

/** A run that failed repeatedly waits for an admin. */
const faultFinding = ({ run_id, kind, fault }: ReturnType<typeof fieldsOf>): DoctorFinding => ({
  severity: 'warning',
  about: `run ${textOf(run_id)}`,
  says: `this ${textOf(kind)} failed repeatedly: ${quoted(textOf(fieldsOf(fault)['says']))}`,
  do: 'fix the cause, then `sluice runs resume ' + textOf(run_id) + '`',
})

/** What was cut or left out of its list of tools. */
function listingFindings({ server, findings }: ReturnType<typeof fieldsOf>): DoctorFinding[] {
  const all = Array.isArray(findings) ? findings.map(fieldsOf) : []
  return all.map(({ says, tools, example }) => ({
    severity: 'warning',
    about: `server ${textOf(server)}`,
    says: `${textOf(says)} (${textOf(tools)}, e.g. ${quoted(textOf(example))})`,
    do: 'ask the operator of the server to list less; tools that were left out are not offered',
  }))
}

function serverFinding(
  server: string,
  { state, tools, last_failure, login }: ReturnType<typeof fieldsOf>,
): DoctorFinding {
  const about = `server ${server}`
  if (state === 'ready') return { severity: 'ok', about, says: count(tools, 'tool') }
  if (state === 'needs_login') return loginFinding(server, textOf(last_failure), fieldsOf(login)['per'] === 'user')
  return {
    severity: 'error',
    about,
    says: `is ${state === 'waiting' ? 'down, and is tried again' : textOf(state)}: ${textOf(last_failure)}`,
    do: textOf(last_failure).includes('a secret is missing')
      ? 'do what it says; the other servers work without it'
      : 'check its entry in the configuration; what it printed is in the log of the gate',
  }
}

/** Nothing is wrong with the server. */
const loginFinding = (server: string, why: string, per_user: boolean): DoctorFinding => ({
  severity: 'warning',
  about: `server ${server}`,
  says: `needs a login: ${why}`,
  do: `log in with \`sluice servers login ${server}${per_user ? ' --shared' : ''}\``,
})

/**
 * Servers that a gate would not start, because a secret is missing. Without a gate only: a running one says so itself, and its
 * environment need not be that of this terminal.
 */
export function missingSecrets({ config, folder }: Settings): readonly DoctorFinding[] {
  const configs = serverConfigs(SERVER_KINDS, config.servers, folder)
  return (configs.ok ? configs.value : []).flatMap(({ name, missing = [] }) =>
    missing.map((text): DoctorFinding => {
      const [says = '', remedy] = text.split('; ')
      const where = remedy?.startsWith('set it') === true ? ', as far as this terminal shows' : ''
      return {
        severity: 'error',
        about: `server ${name}`,
        says: `is not started by a gate: ${says}${where}`,
        ...(remedy === undefined ? {} : { do: remedy }),
      }
    }),
  )
}

/** Without a gate each server is started once, asked for its tools and stopped again. */
export async function tryServers({ config, folder, data }: Settings): Promise<readonly DoctorFinding[]> {
  const configured = serverConfigs(SERVER_KINDS, config.servers, folder)
  const configs = configured.ok ? configured.value.filter(({ missing }) => missing === undefined) : []
  if (configs.length === 0) return []
  const listed = new Map<string, number>()
  const logins = (await onlyPartOf((guest) => guest.logins))?.({
    keys: placesIn(data).keys,
    clock: Date.now,
    base: () => '',
    warn: () => undefined,
    onSecrets: () => undefined,
  })
  const servers = openToolServers({
    kinds: SERVER_KINDS,
    ...(logins === undefined ? {} : { logins }),
    servers: configs.map((server) => ({ ...server, data: join(placesIn(data).servers, server.name) })),
    version: packageVersion(),
    tuning: { start_timeout_ms: START_MS, probe_timeout_ms: START_MS / 2 },
    onListed: async (server, definitions) => void listed.set(server, definitions.length),
    log: () => undefined,
  })
  const tried = await Promise.all(
    configs.map(async (tried_config): Promise<DoctorFinding> => {
      const { name } = tried_config
      const about = `server ${name}`
      const ready = await servers.ready(name)
      if (ready.ok) return { severity: 'ok', about, says: `starts and lists ${count(listed.get(name) ?? 0, 'tool')}` }
      if (ready.problem.code === 'tool.login_needed') {
        const per_user = servers.status().some(({ server, login }) => server === name && login?.per === 'user')
        return loginFinding(name, ready.problem.about['why'] ?? '', per_user)
      }
      const stderr =
        servers
          .status()
          .find(({ server }) => server === name)
          ?.stderr.slice(-5) ?? []
      const says = [`was tried and does not work: ${ready.problem.about['why'] ?? ''}`, ...stderr].join('\n')
      const otherwise =
        'url' in tried_config ? 'check that it runs at its `url`' : 'run its command by hand to see the error'
      return { severity: 'error', about, says, do: `correct \`servers.${name}\`, or ${otherwise}` }
    }),
  )
  await servers.close()
  return tried
}
