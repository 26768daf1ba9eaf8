import type { ServerSettings } from '../contract/server-settings.ts'
import type { RollbackSettings } from '../contract/standard.ts'
import type { ToolDefinition, ToolEffect } from '../contract/tool.ts'

/** What a pack knows about a tool of a well-known server. */
export type PackedTool = {
  readonly pack: string
  /** Whether this was written for exactly that definition. If not, it can only add effects. */
  readonly is_known: boolean
  readonly effects: readonly ToolEffect[]
  /** Arguments that contain recipients, amounts and file paths. */
  readonly recipients: readonly string[]
  readonly amounts: readonly string[]
  readonly paths: readonly string[]
  /** What would undo it: shown to people, never executed by the gate. */
  readonly rollback?: RollbackSettings | undefined
}

/** The hash identifies the definition, so that what was found out about it may be cached. */
export type InferEffects = (definition: ToolDefinition, hash: string) => readonly ToolEffect[]
export type PackOf = (name: string, definition_hash: string) => PackedTool | undefined

/**
 * What guests know about the effects of tools, beside what the operator and the server say. Without it the effects of a tool are
 * unknown, and it is treated as the strictest kind.
 */
export type EffectsSource = {
  /** The effects that follow from a definition. Empty means unknown. */
  readonly infer?: InferEffects | undefined
  /** What is known about the tools of one server. */
  readonly packFor?: ((settings: ServerSettings) => PackOf | undefined) | undefined
}

declare module './guest-ports.ts' {
  interface GuestPorts {
    readonly inferEffects?: InferEffects
    readonly packFor?: NonNullable<EffectsSource['packFor']>
  }
}
