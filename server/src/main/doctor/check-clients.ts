import { homedir } from 'node:os'
import type { DoctorFinding } from '../../kernel/contract/doctor.ts'
import { quoted } from '../../kernel/contract/visible-text.ts'
import { clientFiles, type HostEnvironment } from '../init/client-files.ts'
import { openClients } from '../init/open-clients.ts'
import type { Opened } from '../init/plan-import.ts'
import { readEntry } from '../init/read-entry.ts'
import { placesIn } from '../data-folder.ts'
import { installedHook } from '../../guests/hooks/installed-hook.ts'
import { LAUNCHER } from '../local-gate.ts'
import { serviceHere } from '../service-unit.ts'
import type { Asked } from './check-servers.ts'
import { checkHookedGate } from './check-hooked-gate.ts'
import { checkHooks, hookedClients, SWITCHED_OFF } from './check-hooks.ts'

/** Clients that bypass the gate, and what no gate can see. */
export function checkClients(data: string, config: string, runs: Asked['runs']): readonly DoctorFinding[] {
  const around = { home: homedir(), cwd: process.cwd(), platform: process.platform, env: process.env }
  const { files, unreadable } = openClients(clientFiles(around))
  const unread = unreadable.map((says): DoctorFinding => ({
    severity: 'warning',
    about: 'clients',
    says: `${says}, so it is not known which servers it has`,
    do: 'correct that file',
  }))
  const past = files.flatMap((each) => pastGate(each, around))
  const present = [...new Set(files.map(({ client }) => client))].filter((client) =>
    Object.hasOwn(SWITCHED_OFF, client),
  )
  const how = present.map((client) => `${client}: ${SWITCHED_OFF[client]}`)
  return [
    ...unread,
    ...past,
    ...checkHooks(around, { node: process.execPath, hook: installedHook(data), socket: placesIn(data).socket }),
    ...checkHookedGate(hookedClients(around, placesIn(data).socket), {
      runs,
      unit: serviceHere(LAUNCHER, config, placesIn(data).log),
    }),
    {
      severity: 'note',
      about: 'what a gate cannot see',
      says: `an agent with its own shell or file tools can bypass the gate, or read ${data}`,
      do: ['turn such tools off, or run the agent as another user than the gate', ...how].join('\n'),
    },
  ]
}

/** The servers of a client that are configured beside the gate: those that `init` moves, and those that it leaves. */
function pastGate({ client, file, servers }: Opened, around: HostEnvironment): readonly DoctorFinding[] {
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
