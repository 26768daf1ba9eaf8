import type { DocumentFault } from './raw-document.ts'
import type { LocatedDocument } from './locate-document.ts'
import { listIn, mapIn, textIn } from './raw-document.ts'

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
export function twice(
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
