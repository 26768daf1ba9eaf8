import { agent } from './guests/agent/index.ts'
import { flows } from './guests/flows/index.ts'
import { hub } from './guests/hub/index.ts'
import { serverLogins } from './guests/server-logins/index.ts'
import { toolflow } from './guests/toolflow/index.ts'
import { webPush } from './guests/web-push/index.ts'
import { workflows } from './guests/workflows/index.ts'

/** Every guest of this build with pages or words. To remove one, remove its import, its name and its folder. */
export const GUESTS = [agent, flows, hub, serverLogins, toolflow, webPush, workflows] as const
