import type { JsonObject } from '../contract/json.ts'
import { inForce, type RiskClass, type Tool, type ToolEffect } from '../contract/tool.ts'
import { estimateTokens } from '../text/estimate-tokens.ts'
import { exampleArgs } from '../text/example-args.ts'
import { markedText } from '../contract/visible-text.ts'
import { pruneSchema, shorten, type Detail, type Pruned } from '../json/prune-schema.ts'

/**
 * Everything needed to call a tool once, nothing more. Purpose and schema come from the tool server: data, never instructions.
 */
export type ToolCard = {
  readonly skill_id: string
  readonly title: string
  readonly purpose: string
  readonly input_schema: JsonObject
  /** Arguments that the schema accepts, with placeholders for what only the caller knows. */
  readonly example?: JsonObject
  readonly effects: readonly ToolEffect[]
  readonly effects_from: Tool['effects_from']
  readonly risk: RiskClass
  readonly idempotent: boolean
  readonly dry_run_supported: boolean
  /** Whether something was left out because of the budget: the full card has it. */
  readonly shortened: boolean
}

export type CardOptions = {
  readonly budgetTokens?: number
  readonly full?: boolean
  /** Other content of the card, within the same budget. */
  readonly beside?: Readonly<Record<string, unknown>>
}

const DEFAULT_BUDGET = 600
const LONGEST_PURPOSE = 20_001

/** The operator's name for a tool, otherwise the server's. */
export function titleOf({ title, row }: Tool): string {
  const { definition } = inForce(row)
  return title ?? definition.title ?? definition.name
}

type Level = Detail & { readonly purpose: number; readonly example: boolean }
const level = (
  purpose: number,
  text: number,
  choices: number,
  properties: number,
  depth: number,
  more: Partial<Level> = {},
): Level => ({
  purpose,
  text,
  choices,
  properties,
  depth,
  nodes: properties * 20,
  optional: true,
  example: true,
  ...more,
})

const GENEROUS = level(1_200, 400, 40, 60, 6)
const FULL = level(20_000, 4_000, 500, 500, 12)
/** From detailed to bare; the first that fits the budget is the card. */
const LEANER: readonly Level[] = [
  level(800, 200, 20, 40, 5),
  level(500, 120, 12, 30, 4),
  level(300, 70, 8, 20, 3),
  level(200, 40, 6, 16, 2),
  level(160, 30, 5, 12, 2, { optional: false }),
  level(120, 0, 4, 12, 1, { optional: false }),
  level(80, 0, 2, 6, 1, { optional: false, example: false }),
  level(40, 0, 1, 0, 0, { optional: false, example: false }),
]

/** Deterministic: the same tool and options give the same card, key for key. */
export function toolCard(tool: Tool, options: CardOptions = {}): ToolCard {
  const { budgetTokens = DEFAULT_BUDGET, full = false, beside = {} } = options
  const { inputSchema } = inForce(tool.row).definition
  const example = exampleArgs(inputSchema)
  // Everything after the first pruning works on its bounded result, so a huge schema is read once.
  const pruned = pruneSchema(inputSchema, full ? FULL : GENEROUS)
  if (full) return cardAt(tool, pruned, FULL, example)
  let card = cardAt(tool, pruned, GENEROUS, example)
  for (const detail of LEANER) {
    if (estimateTokens(JSON.stringify({ ...card, ...beside })) <= budgetTokens) return card
    const { schema, complete } = pruneSchema(pruned.schema, detail)
    card = cardAt(tool, { schema, complete: complete && pruned.complete }, detail, example)
  }
  // Even the bare card of a tool with a very long id may exceed a tiny budget; then it is the smallest possible.
  return card
}

function cardAt(tool: Tool, pruned: Pruned, detail: Level, example: JsonObject | undefined): ToolCard {
  const { tool_id } = tool.row
  const { definition } = inForce(tool.row)
  // Cut before it is read: a description may be megabytes.
  const purpose = markedText((definition.description ?? '').slice(0, LONGEST_PURPOSE).trim())
  return {
    skill_id: tool_id,
    title: shorten(markedText(titleOf(tool)), 100),
    purpose: shorten(purpose, detail.purpose),
    input_schema: pruned.schema,
    ...(example !== undefined && detail.example ? { example } : {}),
    effects: tool.effects,
    effects_from: tool.effects_from,
    risk: tool.risk,
    idempotent: tool.idempotent,
    dry_run_supported: tool.dry_run !== undefined,
    shortened: !pruned.complete || purpose.length > detail.purpose,
  }
}
