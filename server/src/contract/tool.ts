import { z } from 'zod'
import type { JsonObject } from './json.ts'
import type { ListingFinding } from './tool-bounds.ts'
import type { ReadBack, RollbackSettings } from './standard.ts'

export const ToolEffect = z.enum(['read', 'write', 'destructive', 'external', 'privileged'])
export type ToolEffect = z.infer<typeof ToolEffect>

export const RiskClass = z.enum(['low', 'medium', 'high', 'critical'])
export type RiskClass = z.infer<typeof RiskClass>

/** What a tool server says about a tool, word for word. Its hash is what an operator admits. */
export type ToolDefinition = {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly inputSchema: JsonObject
  readonly outputSchema?: JsonObject
  readonly annotations?: JsonObject
}

/** How to try a tool without its effect: the same tool with extra arguments, or a sibling on the same server. */
export const DryRun = z.strictObject({
  tool: z.string().optional(),
  args: z.record(z.string(), z.json()).optional(),
  /** Only an operator can declare this; without it a dry run never happens before an approval. */
  effect_free: z.boolean().default(false),
})
export type DryRun = z.infer<typeof DryRun>

/** A tool in the catalogue: the server's definition plus what the gate knows of it. The row outlives connections. */
export type ToolRow = {
  readonly v: 1
  readonly tool_id: string
  readonly server: string
  readonly definition: ToolDefinition
  readonly definition_hash: string
  /** The definition an operator admitted; absent for a tool that appeared after its server was first added. */
  readonly admitted?: {
    readonly hash: string
    readonly definition: ToolDefinition
    readonly at: number
    readonly by: string
  }
  readonly first_seen: number
  readonly last_changed: number
  /** Set when the server no longer lists it: the name stays taken, calls are refused. */
  readonly gone_at?: number
}

/**
 * The definition that models read and that arguments and answers are checked against: the admitted one. A tool that nobody has admitted
 * yet has only what its server lists; agents are not shown such a tool. `row.definition`, the server's latest word, is for operators.
 */
export const inForce = (row: ToolRow): { readonly definition: ToolDefinition; readonly hash: string } =>
  row.admitted ?? { definition: row.definition, hash: row.definition_hash }

/** What rules, approvers and doors see of a tool: the row joined with the operator's configuration. */
export type Tool = {
  readonly row: ToolRow
  /** The version of the row in the store. Absent for what is judged like a tool and has no row. */
  readonly version?: number
  readonly effects: readonly ToolEffect[]
  readonly effects_from: 'configured' | 'pack' | 'annotated' | 'inferred' | 'unknown'
  /** The pack that knows this definition of it. */
  readonly pack?: string
  /** Arguments that hold an amount, as far as a pack knows. JSON pointers. */
  readonly amounts?: readonly string[]
  /** The same for arguments that say to whom or where something goes, and for those that name files. */
  readonly recipients?: readonly string[]
  readonly paths?: readonly string[]
  readonly risk: RiskClass
  /** Safe to run again after a crash: declared by the operator, annotated by a trusted server, or a pure read. */
  readonly idempotent: boolean
  /** The operator's own name for it, above the server's. */
  readonly title?: string
  /** The operator's words for it. Absent is unknown. */
  readonly tags?: readonly string[]
  readonly dry_run?: DryRun
  /** A built-in tool of a coding agent, which runs it itself. */
  readonly executor?: 'client'
  /** The argument that is a shell command: what a call does is read from it. */
  readonly shell?: string
  /** What would undo a call. Recorded and shown, never carried out. */
  readonly rollback?: RollbackSettings
  /** Asked before a call runs; another answer stops it. */
  readonly check?: ReadBack
  /** Asked after a call ran; its answer is the evidence of the outcome. */
  readonly verify?: ReadBack
}

/** A tool server the operator has added. Tools listed at the first connection are admitted, later ones are asked about. */
export type ServerRow = {
  readonly v: 1
  readonly server: string
  readonly added_at: number
  readonly first_listed_at?: number
  /** What of its latest list was cut or left out. */
  readonly findings?: readonly ListingFinding[]
  /** The rules of all findings that were ever recorded. */
  readonly findings_told?: readonly ListingFinding['rule'][]
}
