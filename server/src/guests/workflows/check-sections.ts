import { type DocumentFault, listIn, mapIn, textIn } from './raw-document.ts'
import type { LocatedDocument } from './locate-document.ts'
import { Constraint } from './workflow-document.ts'
import { conditionOf } from './capabilities.ts'
import { parseSchedule } from './cron.ts'

/** Checks for peers that are duplicates or could never trigger anything, and targets with a duplicate alias. */
export function checkTrust(located: LocatedDocument): DocumentFault[] {
  const trust = mapIn(located.value, 'trust')
  const rooms = listIn(trust, 'allowedRooms')
  const seen = new Set<string>()
  const faults: DocumentFault[] = []
  for (const [index, peer] of listIn(trust, 'trustedPeers').entries()) {
    const path = ['trust', 'trustedPeers', index]
    const [mxid, room] = [textIn(peer, 'mxid'), textIn(peer, 'roomId')]
    if (room !== undefined && rooms.length > 0 && !rooms.includes('*') && !rooms.includes(room))
      faults.push(
        located.at(
          [...path, 'roomId'],
          `allowedRooms does not admit the room \`${room}\`: this peer could never start anything`,
        ),
      )
    for (const [at, protocol] of listIn(peer, 'protocols').entries()) {
      const key = JSON.stringify([mxid, room, protocol])
      if (seen.has(key))
        faults.push(
          located.at(
            [...path, 'protocols', at],
            `duplicate trusted peer: \`${String(mxid)}\` in \`${String(room)}\` for \`${String(protocol)}\``,
          ),
        )
      seen.add(key)
    }
  }
  return [...faults, ...twice(located, ['messaging', 'allowedTargets'], 'alias', 'two targets have the alias')]
}

/** Entries of a list that have the same name as an earlier one. */
function twice(
  located: LocatedDocument,
  at: readonly [string, string] | readonly [string],
  key: string,
  says: string,
): DocumentFault[] {
  const [section, inner] = at
  const list = inner === undefined ? listIn(located.value, section) : listIn(mapIn(located.value, section), inner)
  const seen = new Set<string>()
  return list.flatMap((one, index) => {
    const name = textIn(one, key)
    if (name === undefined) return []
    const isTwice = seen.has(name)
    seen.add(name)
    return isTwice ? [located.at([...at, index, key], `${says} \`${name}\``)] : []
  })
}

/** Checks for invalid schedules, undeclared secrets, duplicate names and constraints that cannot hold. */
export function checkGateways(located: LocatedDocument): DocumentFault[] {
  const secrets = new Set(listIn(located.value, 'secrets').map((one) => textIn(one, 'name')))
  const faults: DocumentFault[] = []
  for (const [index, gateway] of listIn(located.value, 'gateways').entries()) {
    const config = mapIn(gateway, 'config')
    const at = (key: string, says: string) => faults.push(located.at(['gateways', index, 'config', key], says))
    const schedule = textIn(config, 'schedule')
    if (textIn(gateway, 'type') === 'cron' && schedule !== undefined) {
      const parsed = parseSchedule(schedule)
      if (!parsed.ok) at('schedule', parsed.says)
    }
    const secret = textIn(config, 'secret')
    if (textIn(gateway, 'type') === 'webhook' && secret !== undefined && !secrets.has(secret))
      at('secret', `no entry of \`secrets\` is called \`${secret}\``)
  }
  for (const [index, capability] of listIn(located.value, 'capabilities').entries())
    for (const [argument, wanted] of Object.entries(mapIn(capability, 'constraints'))) {
      const read = Constraint.safeParse(wanted)
      const condition = read.success ? conditionOf({ [argument]: read.data }) : undefined
      if (condition?.ok === false)
        faults.push(located.at(['capabilities', index, 'constraints', argument], condition.says))
    }
  return [
    ...faults,
    ...twice(located, ['gateways'], 'name', 'two gateways are called'),
    ...twice(located, ['secrets'], 'name', 'two secrets are called'),
    ...twice(located, ['mcps'], 'name', 'two servers are called'),
    ...twice(located, ['capabilities'], 'name', 'two capabilities are called'),
  ]
}
