import { lstatSync } from 'node:fs'
import type { DoctorFinding } from '../../kernel/contract/doctor.ts'
import type { ServiceUnit } from '../service-unit.ts'
import type { Asked } from './check-servers.ts'
import { serviceState } from '../service-commands.ts'

type Gate = { readonly runs: Asked['runs']; readonly unit: ServiceUnit | undefined }

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
