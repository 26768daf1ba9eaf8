import { unlistedSettings } from '../../kernel/catalogue/unlisted-settings.ts'
import type { DoctorFinding } from '../../kernel/contract/doctor.ts'
import { clientFor } from '../../adapters/cli/client.ts'
import { fieldsOf, itemsOf, textOf, type PrintedFields } from '../../adapters/cli/print.ts'
import { sha256Hex } from '../../adapters/keys/digest.ts'
import { unanswered } from './check-servers.ts'
import { configSections } from '../config-sections.ts'
import { placesIn } from '../data-folder.ts'
import type { Settings } from '../load-config.ts'

/** Differences between the running gate and the configuration file. */
export async function checkInForce(settings: Settings): Promise<readonly DoctorFinding[]> {
  const ask = clientFor({ socket: placesIn(settings.data).socket })
  const reply = await ask('GET', '/v1/settings')
  const running = fieldsOf(reply.body)
  const { file } = running
  if (reply.status !== 200) return unanswered('its settings', reply)
  if (typeof file !== 'string')
    return [
      {
        severity: 'note',
        about: 'gate',
        says: 'the running gate was started without a configuration file, so the file here is not compared with it',
      },
    ]
  if (file !== settings.file)
    return [
      {
        severity: 'warning',
        about: 'gate',
        says: `the running gate uses ${file}, not ${settings.file}`,
        do: `name that file with --config, or stop the gate and start it with this one`,
      },
    ]
  const [servers, policies, listed, lint] = [
    await ask('GET', '/v1/servers'),
    await ask('GET', '/v1/policies'),
    await ask('GET', '/v1/tools'),
    await ask('POST', '/v1/policies/lint', {}),
  ]
  const unknown = [...unanswered('its policy', policies), ...unanswered('the lint of its policy', lint)]
  // The findings about the gate itself already say so.
  if (servers.status !== 200 || listed.status !== 200) return unknown
  const served = itemsOf(servers.body).map(({ server }) => textOf(server))
  const policy = fieldsOf(policies.body)
  const tools = itemsOf(listed.body)
  const linted = fieldsOf(lint.body)
  return [
    ...unknown,
    ...otherSections(settings, fieldsOf(running['sections'])),
    ...otherServers(Object.keys(settings.config.servers), served),
    ...otherPolicy(settings, textOf(policy['version'] ?? '')),
    ...unlistedInRules(linted['findings']),
    ...unlistedInSettings(settings, tools),
  ]
}

/** Only the running gate knows the tools. */
function unlistedInRules(findings: unknown): DoctorFinding[] {
  return itemsOf({ items: findings })
    .filter(({ kind }) => kind === 'unlisted')
    .map(({ says, source }) => ({
      severity: 'warning',
      about: 'policy',
      says: `${textOf(says)} (${textOf(source)})`,
      do: 'correct the name, or remove the rule',
    }))
}

function unlistedInSettings({ config }: Settings, tools: readonly PrintedFields[]): DoctorFinding[] {
  return Object.entries(config.servers).flatMap(([name, server]) => {
    const listed = tools.filter((tool) => tool['server'] === name).map(({ tool_id }) => textOf(tool_id))
    return unlistedSettings(sha256Hex, name, server, listed).map((says) => ({
      severity: 'warning',
      about: `server ${name}`,
      says,
      do: `correct the name below \`servers.${name}\`; until then these settings have no effect`,
    }))
  })
}

function otherSections({ config }: Settings, running: Readonly<Record<string, unknown>>): DoctorFinding[] {
  const names = Object.entries(configSections(config)).flatMap(([name, digest]) =>
    running[name] === undefined || running[name] === digest ? [] : [name],
  )
  if (names.length === 0) return []
  const what = names.map((name) => `\`${name}\``).join(', ')
  return [
    {
      severity: 'warning',
      about: 'configuration',
      says: `the running gate was started with a different ${what}; the file takes effect after a restart`,
      do: 'restart it: `sluice down`, then `sluice up`',
    },
  ]
}

function otherServers(written: readonly string[], served: readonly string[]): DoctorFinding[] {
  const missing = written.filter((name) => !served.includes(name))
  const more = served.filter((name) => !written.includes(name))
  if (missing.length + more.length === 0) return []
  const differences = [
    ...(missing.length === 0 ? [] : [`${missing.join(', ')} only in the file`]),
    ...(more.length === 0 ? [] : [`${more.join(', ')} only in the running gate`]),
  ]
  return [
    {
      severity: 'warning',
      about: 'servers',
      says: `the file and the running gate have different tool servers: ${differences.join('; ')}`,
      do: "if the gate's log names a mistake in the file, correct it; otherwise restart the gate",
    },
  ]
}

function otherPolicy({ policy }: Settings, version: string): DoctorFinding[] {
  if (version === '' || sha256Hex(policy.text).startsWith(version)) return []
  return [
    {
      severity: 'warning',
      about: 'policy',
      says: 'the policy in the file is not the active one',
      do: '`sluice policy show` shows which one is, and why the other was not loaded',
    },
  ]
}
