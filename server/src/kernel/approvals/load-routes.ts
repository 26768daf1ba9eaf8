import type { Config } from '../contract/config.ts'
import { compileRoutes, type Routes } from './routes/routes.ts'

export type { Routes }

/** Who is asked about which calls, from the configuration. */
export const loadRoutes = ({ groups, routes }: Config['approvals'], channels?: Config['channels']): Routes => ({
  ...compileRoutes({ groups, routes }),
  chat: {
    people: new Map(
      (channels?.matrix ?? []).flatMap(({ people }) =>
        Object.entries(people).map(([mxid, { approver, user }]) => [mxid, user ?? approver] as const),
      ),
    ),
    rooms: new Map((channels?.matrix ?? []).map(({ room, name }) => [room, name] as const)),
  },
})
