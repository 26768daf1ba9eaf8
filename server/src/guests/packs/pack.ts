import { z } from 'zod'
import { HOOK_CLIENTS } from '../../kernel/contract/hook-clients.ts'
import { ArgumentPointer } from '../../kernel/contract/tool-settings.ts'
import { RollbackSettings } from '../../kernel/contract/standard.ts'
import { ToolEffect } from '../../kernel/contract/tool.ts'
import { Sha256 } from '../../kernel/contract/ids.ts'

const Name = z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'a name is 1 to 32 lower-case letters, digits and `-`')
const Pointers = z.array(ArgumentPointer).max(50)

/** What is known about one tool of a well-known server. */
export const PackTool = z.strictObject({
  effects: z.array(ToolEffect).min(1),
  /**
   * Hashes of the definitions that this was made from. Only for these does the pack decide what the tool does; for any other
   * definition it can add effects and removes none.
   */
  definitions: z.array(Sha256).max(50).default([]),
  /** Arguments that contain recipients, amounts and file paths. */
  recipients: Pointers.default([]),
  amounts: Pointers.default([]),
  paths: Pointers.default([]),
  /** What would undo it: shown to people, never executed by the gate. */
  rollback: RollbackSettings.optional(),
})
export type PackTool = z.infer<typeof PackTool>

/**
 * What is known about a well-known tool server, matched by its package or URL and each tool by its definition; or about the
 * built-in tools of a coding agent, which have no definitions of their own.
 */
export const Pack = z
  .strictObject({
    pack: Name,
    title: z.string().min(1).max(200),
    /** The source: a package with its version, a public document. */
    from: z.string().min(1).max(300),
    packages: z
      .array(z.string().regex(/^(?:@[a-z0-9._-]+\/)?[a-z0-9._-]+$/i))
      .max(20)
      .default([]),
    addresses: z
      .array(z.url({ protocol: /^https$/ }))
      .max(20)
      .default([]),
    clients: z.array(z.enum(HOOK_CLIENTS)).default([]),
    tools: z.record(z.string().min(1).max(128), PackTool),
  })
  .refine(({ packages, addresses, clients }) => clients.length === 0 || packages.length + addresses.length === 0, {
    message: 'a pack is for coding agents (`clients`) or for servers (`packages`, `addresses`), not for both',
  })
export type Pack = z.infer<typeof Pack>

/** A pack as people see it: what it contains, and which of this gate's tools it applies to. */
export const PackAnswer = z.object({
  pack: z.string(),
  title: z.string(),
  from: z.string(),
  source: z.enum(['built-in', 'operator']),
  packages: z.array(z.string()),
  addresses: z.array(z.string()),
  clients: z.array(z.string()),
  tools: z.array(
    z.object({
      name: z.string(),
      effects: z.array(ToolEffect),
      recipients: z.array(z.string()),
      amounts: z.array(z.string()),
      paths: z.array(z.string()),
      definitions: z.number().int(),
      rollback: z.string().optional(),
    }),
  ),
  servers: z.array(
    z.object({
      server: z.string(),
      /** Tools with a definition that the pack contains. */
      matched: z.array(z.string()),
      /** Tools that it contains with another definition: it only adds effects to them. */
      differing: z.array(z.string()),
      /** Tools that it does not know. */
      unknown: z.array(z.string()),
      /** Tools that it contains and that the server does not list. */
      absent: z.array(z.string()),
    }),
  ),
})
export type PackAnswer = z.infer<typeof PackAnswer>
