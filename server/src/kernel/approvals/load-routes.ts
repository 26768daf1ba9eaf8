import { configuredChannels } from './channels.ts'
import type { Config } from '../contract/config.ts'
import { compileRoutes, type ApprovalRoutes } from './routes/routes.ts'

/** Who is asked about which calls, from the configuration. */
export function loadRoutes({ groups, routes }: Config['approvals'], channels?: Config['channels']): ApprovalRoutes {
  const listed = channels === undefined ? [] : configuredChannels(channels)
  const people = listed.flatMap(({ people = {} }) => Object.entries(people))
  const rooms = listed.flatMap(({ room, name }) => (room === undefined ? [] : [[room, name] as const]))
  return {
    ...compileRoutes({ groups, routes }),
    chat: {
      people: new Map(people.map(([mxid, { approver, user }]) => [mxid, user ?? approver])),
      rooms: new Map(rooms),
    },
  }
}
