import { z } from 'zod'
import { clientToolSettings, HOOK_CLIENTS } from './hook-clients.ts'
import { COMMON, noneBut } from './tool-settings.ts'

/** The built-in tools of a coding agent, judged by the gate through its hooks and run by the agent itself (server/src/guests/hooks/README.md). */
export const ClientSettings = z
  .strictObject({ client: z.enum(HOOK_CLIENTS), ...noneBut('client'), ...COMMON })
  .transform((settings) => {
    const known = clientToolSettings(settings.client)
    const said = Object.entries(settings.tools).map(([name, own]) => [name, { ...known[name], ...own }] as const)
    return { ...settings, tools: { ...known, ...Object.fromEntries(said) } }
  })
export type ClientSettings = z.infer<typeof ClientSettings>
