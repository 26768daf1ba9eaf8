import type { AdmitsInvitation } from '../../kernel/ports/transports.ts'
import type { Documents } from './api.ts'

/**
 * A document joins the rooms that it names: where it listens, where it writes, and where it asks. If it listens everywhere, it
 * joins only when invited by somebody it names, so that a stranger cannot fill its account with rooms.
 */
export const admitsInvitation =
  ({ documents }: { readonly documents: Documents }): AdmitsInvitation =>
  async (agent, { room, by }) => {
    const opened = await documents.current(agent)
    if (opened === undefined) return false
    const { trust, messaging, approvals } = opened.document
    const rooms = [
      ...trust.allowedRooms,
      ...messaging.allowedTargets.map(({ roomId }) => roomId),
      trust.adminRoom,
      approvals.room,
    ]
    if (rooms.includes(room)) return true
    const people = [...trust.allowedSenders, ...trust.trustedPeers.map(({ mxid }) => mxid)]
    return trust.allowedRooms.includes('*') && people.includes(by)
  }
