import { homedir } from 'node:os'
import type { DoctorFinding } from '../../kernel/contract/doctor.ts'
import { quoted } from '../../kernel/contract/visible-text.ts'
import type { HostEnvironment } from '../../adapters/files/client-hooks.ts'
import { clientFiles } from '../init/client-files.ts'
import { openClients } from '../init/open-clients.ts'
import type { Opened } from '../init/plan-import.ts'
import { readEntry } from '../init/read-entry.ts'
import { placesIn } from '../data-folder.ts'
import { LAUNCHER } from '../../adapters/files/own-programs.ts'
import { textScrubber, type ScrubText } from '../scrub-text.ts'
import { serviceHere, type ServiceUnit } from '../service-unit.ts'
import type { AskedGate } from './check-servers.ts'
import { onlyPartOf } from '../guest-parts.ts'
import { lstatSync } from 'node:fs'
import { serviceState } from '../service-commands.ts'

/** Clients that bypass the gate, and what no gate can see. */
export async function checkClients(
  data: string,
  config: string,
  runs: AskedGate['runs'],
): Promise<readonly DoctorFinding[]> {
  const around = { home: homedir(), cwd: process.cwd(), platform: process.platform, env: process.env }
  const { files, unreadable } = openClients(clientFiles(around))
  const unread = unreadable.map((says): DoctorFinding => ({
    severity: 'warning',
    about: 'clients',
    says: `${says}, so it is not known which servers it has`,
    do: 'correct that file',
  }))
  const hooks = await onlyPartOf(({ clientHooks }) => clientHooks)
  const scrub = await textScrubber()
  const { socket, log } = placesIn(data)
  const past = files.flatMap((each) => pastGate(each, { ...around, scrub }))
  const present = [...new Set(files.map(({ client }) => client))].filter((client) =>
    Object.hasOwn(SWITCHED_OFF, client),
  )
  const how = present.map((client) => `${client}: ${SWITCHED_OFF[client]}`)
  return [
    ...unread,
    ...past,
    ...(hooks?.check(around, { node: process.execPath, hook: hooks.programOf(data, around), socket }, SWITCHED_OFF) ??
      []),
    ...checkHookedGate(hooks?.askingAt(socket, around) ?? [], { runs, unit: serviceHere(LAUNCHER, config, log) }),
    {
      severity: 'note',
      about: 'what a gate cannot see',
      says: `an agent with its own shell or file tools can bypass the gate, or read ${data}`,
      do: ['turn such tools off, or run the agent as another user than the gate', ...how].join('\n'),
    },
  ]
}

/** The servers of a client that are configured beside the gate: those that `init` moves, and those that it leaves. */
function pastGate(
  { client, file, servers }: Opened,
  around: HostEnvironment & { readonly scrub: ScrubText },
): readonly DoctorFinding[] {
  const read = Object.entries(servers).map(
    ([name, value]) => [name, readEntry(value, { ...around, client, name })] as const,
  )
  const moved = read.flatMap(([name, { is }]) => (is === 'server' ? [quoted(name)] : []))
  const left = read.flatMap(([name, entry]): DoctorFinding[] =>
    entry.is === 'left' && entry.isOff !== true
      ? [
          {
            severity: 'warning',
            about: 'clients',
            says: `${client} has ${quoted(name)} without the gate (${file}), and \`init\` leaves it there: ${entry.why}`,
            do: 'change the entry as it says, or remove it and add the server to sluice.yaml by hand',
          },
        ]
      : [],
  )
  if (moved.length === 0) return left
  const says = `${client} is configured to reach ${moved.join(', ')} without the gate (${file})`
  const remedy = 'replace them with the gate: `sluice init --write`'
  return [{ severity: 'warning', about: 'clients', says, do: remedy }, ...left]
}

/** How to turn a client's own tools off, so that everything an agent does goes through the gate. */
const SWITCHED_OFF: Readonly<Record<string, string>> = {
  'claude-code': 'in .claude/settings.json: { "permissions": { "deny": ["Bash", "Edit", "Write", "WebFetch"] } }',
  gemini: 'in .gemini/settings.json: { "tools": { "exclude": ["run_shell_command", "write_file", "replace"] } }',
  codex: 'in ~/.codex/config.toml: sandbox_mode = "read-only"',
  cursor: 'in its settings, under Agents: let it ask before every command, and allow none',
  vscode: "in the chat's tool picker: deselect the terminal and edit tools",
  cline: 'in its auto-approve menu: switch commands and edits off',
  zed: 'in settings.json, in the agent\'s profile: { "tools": { "terminal": false, "edit_file": false } }',
  opencode: 'in opencode.json: { "permission": { "bash": "deny", "edit": "deny" } }',
  goose: 'in its settings, under Extensions: switch `developer` off',
  windsurf: 'in its settings: switch terminal auto-execution off',
}

type Gate = { readonly runs: AskedGate['runs']; readonly unit: ServiceUnit | undefined }

/** Whether the gate that hooked clients depend on runs, and is started at login. */
export function checkHookedGate(clients: readonly string[], { runs, unit }: Gate): readonly DoctorFinding[] {
  if (clients.length === 0 || runs === 'unknown') return []
  const about = 'hooks'
  const names = clients.join(', ')
  const starts = unit === undefined ? '' : ', and `sluice service install` to start it when you log in'
  if (runs === 'no')
    return [
      {
        severity: 'warning',
        about,
        says: `no gate is running, so the hooks of ${names} refuse every call of their built-in tools`,
        do: `start it with \`sluice up\`${starts}`,
      },
    ]
  const says = notAtLogin(unit)
  if (says === undefined) return []
  return [
    {
      severity: 'note',
      about,
      says: `${says}; after a restart, the hooks of ${names} refuse every call until a gate runs. Whether something else starts it is not known here`,
      do:
        unit === undefined
          ? 'start `sluice up` with the service manager you use'
          : 'unless something else starts it: `sluice service install`, then the commands that it prints',
    },
  ]
}

/** Why the service of this user does not start this gate at login, as far as its files show. */
function notAtLogin(unit: ServiceUnit | undefined): string | undefined {
  if (unit === undefined) return 'neither systemd nor launchd was found'
  const state = serviceState(unit)
  if (state === 'absent') return `there is no ${unit.file}`
  if (state === 'other') return `${unit.file} starts another gate`
  return unit.link === undefined || isThere(unit.link)
    ? undefined
    : `${unit.file} is not enabled: there is no ${unit.link}`
}

/** Also if it is a link to nowhere. */
const isThere = (file: string) => lstatSync(file, { throwIfNoEntry: false }) !== undefined
