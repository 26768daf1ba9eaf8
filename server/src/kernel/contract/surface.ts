import { z } from 'zod'

/** What an MCP client sees: a few tools that find and run the others, every tool under its own name, or the smaller of the two. */
export const Surface = z.enum(['search', 'passthrough', 'auto'])
export type Surface = z.infer<typeof Surface>
