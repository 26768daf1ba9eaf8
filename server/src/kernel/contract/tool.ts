import { z } from 'zod'
import type { JsonObject } from './json.ts'
import type { ListingFault } from './tool-bounds.ts'
import type { ReadBack, RollbackSettings } from './standard.ts'

export const ToolEffect = z.enum(['read', 'write', 'destructive', 'external', 'privileged'])
export type ToolEffect = z.infer<typeof ToolEffect>

export const RiskClass = z.enum(['low', 'medium', 'high', 'critical'])
export type RiskClass = z.infer<typeof RiskClass>

/** A tool definition exactly as the tool server sent it. An operator admits its hash. */
export type ToolDefinition = {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly inputSchema: JsonObject
  readonly outputSchema?: JsonObject
  readonly annotations?: JsonObject
}

/** How to try a tool without its effect: the same tool with extra arguments, or another tool on the same server. */
export const DryRun = z.strictObject({
  tool: z.string().optional().describe('The tool of the server that does the dry run; by default the tool itself.'),
  args: z.record(z.string(), z.json()).optional().describe('Arguments that make it a dry run.'),
  /** Only an operator can declare this; without it a dry run never happens before an approval. */
  effect_free: z.boolean().default(false).describe('The dry run changes nothing, so it may run before approval.'),
})
export type DryRun = z.infer<typeof DryRun>

/** A tool in the catalogue: the server's definition plus what the gate knows about it. The row outlives connections. */
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
  /** Set when the server no longer lists it: the name stays taken, calls are rejected. */
  readonly gone_at?: number
}

/**
 * The definition that models read and that arguments and answers are checked against: the admitted one. For a tool that nobody
 * has admitted yet it is what its server lists; agents do not see such a tool. `row.definition`, the server's latest version, is
 * for operators.
 */
export const inForce = (row: ToolRow): { readonly definition: ToolDefinition; readonly hash: string } =>
  row.admitted ?? { definition: row.definition, hash: row.definition_hash }

/** A tool whose effects are not known may do anything, and so may a call whose row does not say. */
export const onlyReads = (known: { readonly effects: readonly ToolEffect[] } | undefined): boolean =>
  known !== undefined && known.effects.length > 0 && known.effects.every((effect) => effect === 'read')

/** What rules, approvers and doors see of a tool: the row joined with the operator's configuration. */
export type Tool = {
  readonly row: ToolRow
  /** The version of the row in the store. Absent for something that is judged like a tool but has no row. */
  readonly version?: number
  readonly effects: readonly ToolEffect[]
  readonly effects_from: 'configured' | 'pack' | 'annotated' | 'inferred' | 'unknown'
  /** The pack that contains this definition of it. */
  readonly pack?: string
  /** Arguments that contain an amount, according to a pack. JSON pointers. */
  readonly amounts?: readonly string[]
  /** The same for arguments that are destinations, and for those that name files. */
  readonly recipients?: readonly string[]
  readonly paths?: readonly string[]
  readonly risk: RiskClass
  /** Safe to run again after a crash: declared by the operator, annotated by a trusted server, or a pure read. */
  readonly idempotent: boolean
  /** The operator's own name for it, used instead of the server's. */
  readonly title?: string
  /** The operator's tags for it. Absent: unknown. */
  readonly tags?: readonly string[]
  readonly dry_run?: DryRun
  /** A built-in tool of a coding agent, which runs it itself. */
  readonly executor?: 'client'
  /** The argument that is a shell command: it determines what a call does. */
  readonly shell?: string
  /** What would undo a call. Recorded and shown, never executed. */
  readonly rollback?: RollbackSettings
  /** Asked before a call runs; an unexpected answer stops it. */
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
  /** What was cut or left out of its latest list. */
  readonly findings?: readonly ListingFault[]
  /** The rules of all findings that were ever recorded. */
  readonly findings_told?: readonly ListingFault['rule'][]
}
