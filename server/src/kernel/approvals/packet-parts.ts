import { z } from 'zod'
import { RiskClass, ToolEffect } from '../contract/tool.ts'

/** The class of a tool and the reasons for it. */
export const PacketRisk = z.object({
  class: RiskClass,
  effects: z.array(ToolEffect).readonly(),
  effects_from: z.enum(['configured', 'pack', 'annotated', 'inferred', 'unknown']),
  /** In the gate's own words, most important first: `reaches people or the network`. */
  why: z.array(z.string()).readonly(),
})
export type PacketRisk = z.infer<typeof PacketRisk>

/** One difference between two versions. A missing side did not exist. Texts are shown as data, every character visible. */
export const FieldChange = z.object({
  /** A JSON pointer. */
  at: z.string(),
  before: z.string().optional(),
  after: z.string().optional(),
})
export type FieldChange = z.infer<typeof FieldChange>

export const DiffLine = z.object({ is: z.enum(['same', 'added', 'removed', 'skipped']), text: z.string() })
export type DiffLine = z.infer<typeof DiffLine>

/**
 * What the call would change. `arguments`: an approver's edit compared with the request that it replaces. `file`: what a write
 * does to a file, if the arguments contain both sides. `dry_run`: the result of a dry run, if it answers with fields.
 */
export const PacketChange = z.discriminatedUnion('of', [
  z.object({ of: z.literal('arguments'), fields: z.array(FieldChange).readonly() }),
  z.object({
    of: z.literal('file'),
    path: z.string(),
    is: z.enum(['written', 'edited', 'deleted']),
    added: z.number().int(),
    removed: z.number().int(),
    lines: z.array(DiffLine).readonly(),
    /** There are more lines than are shown. */
    cut: z.boolean(),
  }),
  z.object({ of: z.literal('dry_run'), fields: z.array(FieldChange).readonly() }),
])
export type PacketChange = z.infer<typeof PacketChange>

const Fact = z.object({ is: z.enum(['yes', 'no', 'unknown']), says: z.string() })

/** What will happen to an approved call. */
export const PacketFacts = z.object({
  /** Whether it can be undone. */
  undo: Fact,
  /** Whether its effect is read back afterwards. */
  read_back: Fact,
  /** Whether something is checked before it runs. */
  check: Fact,
  /** Whether a dry run is known. */
  dry_run: Fact,
})
export type PacketFacts = z.infer<typeof PacketFacts>
