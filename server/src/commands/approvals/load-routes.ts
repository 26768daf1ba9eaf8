import type { Config } from '../../contract/config.ts'
import { compileRoutes, type Routes } from '../../core/approvals/routes/routes.ts'

export type { Routes }

/** Who is asked about which calls, as the configuration says it. */
export const loadRoutes = ({ groups, routes }: Config['approvals']): Routes => compileRoutes({ groups, routes })
