import { homedir } from 'node:os'
import type { Finding } from '../../doors/cli/boot-reports.ts'
import { clientFiles } from '../init/client-files.ts'
import { openClients } from '../init/open-clients.ts'
import { readEntry } from '../init/read-entry.ts'
import { placesIn } from '../data-folder.ts'
import { installedHook } from '../installed-hook.ts'
import { LAUNCHER } from '../local-gate.ts'
import { serviceHere } from '../service-unit.ts'
import { checkHookedGate } from './check-hooked-gate.ts'
import { checkHooks, hookedClients, SWITCHED_OFF } from './check-hooks.ts'

/** Clients that bypass the gate, and what no gate can see. */
export function checkClients(data: string, config: string, isRunning: boolean): readonly Finding[] {
  const around = { home: homedir(), cwd: process.cwd(), platform: process.platform, env: process.env }
  const { files } = openClients(clientFiles(around))
  const past = files.flatMap(({ client, file, servers }): Finding[] => {
    const names = Object.entries(servers)
      .filter(([, value]) => readEntry(value, around).is === 'server')
      .map(([name]) => name)
    if (names.length === 0) return []
    const says = `${client} reaches ${names.map((name) => `\`${name}\``).join(', ')} without the gate (${file})`
    return [{ severity: 'warning', about: 'clients', says, do: 'replace them with the gate: `sluice init --write`' }]
  })
  const present = [...new Set(files.map(({ client }) => client))].filter((client) =>
    Object.hasOwn(SWITCHED_OFF, client),
  )
  const how = present.map((client) => `${client}: ${SWITCHED_OFF[client]}`)
  return [
    ...past,
    ...checkHooks(around, { node: process.execPath, hook: installedHook(data), socket: placesIn(data).socket }),
    ...checkHookedGate(hookedClients(around, placesIn(data).socket), {
      isRunning,
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
