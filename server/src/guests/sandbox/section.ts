import { z } from 'zod'
import type { ConfigSection } from '../../kernel/contract/config.ts'
import { ArgumentPointer } from '../../kernel/contract/tool-settings.ts'

/** Where a server's file arguments may lead. */
export const Sandbox = z.strictObject({
  /** Files and folders, relative to the config file's folder. */
  roots: z.array(z.string().min(1).max(4096)).min(1).max(100).describe('The allowed folders.'),
  /** The base of relative paths in arguments; by default the server's own working folder. */
  base: z.string().min(1).max(4096).optional().describe('The folder that its relative paths start from.'),
  /** Whether the server's files are on this machine. Otherwise no path can be resolved, so every one is asked about. */
  local: z
    .boolean()
    .default(false)
    .describe('The server works with files of this machine, although the gate does not start it.'),
})
export type Sandbox = z.infer<typeof Sandbox>

/** Which arguments are paths. Without it they are recognized by their names and values. */
const Files = z.array(ArgumentPointer).max(100)

declare module '../../kernel/contract/tool-settings.ts' {
  interface ServerCommon {
    sandbox?: Sandbox | undefined
  }
  interface ToolSettings {
    files?: z.infer<typeof Files> | undefined
  }
}

export const section: ConfigSection = {
  server: {
    sandbox: {
      rank: 410,
      schema: Sandbox.optional().describe('The folders that its tools may access; paths outside them are blocked.'),
    },
  },
  tool: {
    files: {
      rank: 810,
      schema: Files.optional().describe('Which arguments are paths, as JSON pointers; needs a `sandbox`.'),
    },
  },
  /** A setting without effect is rejected: paths are only judged against a sandbox. */
  checkServer({ sandbox, tools }, toolsKey, context) {
    if (sandbox !== undefined) return
    for (const [tool, { files }] of Object.entries(tools)) {
      if (files === undefined) continue
      context.addIssue({
        code: 'custom',
        path: [toolsKey, tool, 'files'],
        message: '`files` needs a `sandbox` of the server',
      })
    }
  },
}
