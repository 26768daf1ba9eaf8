import { z } from 'zod'
import type { JsonObject } from './json.ts'
import type { ToolDefinition } from './tool.ts'

/** The limits for what a tool server lists. Lengths are in characters (UTF-16 units), schemas and annotations as JSON. */
export const TOOL_BOUNDS = {
  name: 128,
  title: 256,
  description: 32_768,
  schema: 262_144,
  annotations: 16_384,
  /** Per server. */
  tools: 5_000,
  /** All definitions of one server together. */
  listing: 200_000_000,
  pages: 1_000,
} as const

/** What was cut or left out of a server's list, and why. */
export const ListingFault = z.object({
  rule: z.enum([
    'title_cut',
    'description_cut',
    'annotations_left_out',
    'name_too_long',
    'schema_too_large',
    'not_a_tool',
    'not_canonical',
    'name_taken',
    'too_many_tools',
    'too_much_text',
    'pages_without_end',
    'not_callable',
  ]),
  /** How many tools it affects; for tools that were never read, at least this many. */
  tools: z.number().int(),
  /** The name of one of them. */
  example: z.string(),
})
export type ListingFault = z.infer<typeof ListingFault>
export type ListingRule = ListingFault['rule']

/** In plain words, for operators. */
export const LISTING_SAYS: Readonly<Record<ListingRule, string>> = {
  title_cut: `titles longer than ${TOOL_BOUNDS.title} characters were cut`,
  description_cut: `descriptions longer than ${TOOL_BOUNDS.description} characters were cut`,
  annotations_left_out: `annotations larger than ${TOOL_BOUNDS.annotations} characters were left out`,
  name_too_long: `tools with a name longer than ${TOOL_BOUNDS.name} characters were left out`,
  schema_too_large: `tools with a schema larger than ${TOOL_BOUNDS.schema} characters were left out`,
  not_a_tool: 'entries that are not shaped like tools were left out',
  not_canonical: 'tools whose definition has no canonical JSON, or is nested too deep, were left out',
  name_taken: 'tools with a name that another tool of the list already has were left out',
  too_many_tools: `only the first ${TOOL_BOUNDS.tools} tools were read`,
  too_much_text: `tools after the first ${TOOL_BOUNDS.listing} characters of definitions were left out`,
  pages_without_end: 'its list of tools has too many pages; the rest was not read',
  not_callable: 'tools that cannot be called as they are described were left out',
}

export type FaultCollector = {
  note(rule: ListingRule, name: string): void
  all(): readonly ListingFault[]
}

export function collectFaults(earlier: readonly ListingFault[] = []): FaultCollector {
  const found = new Map(earlier.map((finding) => [finding.rule, finding]))
  return {
    note(rule, name) {
      const known = found.get(rule)
      found.set(rule, { rule, tools: (known?.tools ?? 0) + 1, example: known?.example ?? cut(name, TOOL_BOUNDS.name) })
    },
    all: () => [...found.values()],
  }
}

/** The definition within the limits; undefined if nothing is left that could be offered. Reports what was removed. */
export function boundDefinition(
  definition: ToolDefinition,
  note: (rule: ListingRule) => void = () => undefined,
): ToolDefinition | undefined {
  const { name, title, description, inputSchema, outputSchema, annotations } = definition
  const refused = (rule: ListingRule): undefined => {
    note(rule)
  }
  if (name.length > TOOL_BOUNDS.name) return refused('name_too_long')
  if (sizeOf(inputSchema) > TOOL_BOUNDS.schema || sizeOf(outputSchema) > TOOL_BOUNDS.schema)
    return refused('schema_too_large')
  const isTitleLong = isLong(title, TOOL_BOUNDS.title) || isLong(annotations?.['title'], TOOL_BOUNDS.title)
  const isTextLong = isLong(description, TOOL_BOUNDS.description)
  const isNoteLarge = sizeOf(annotations) > TOOL_BOUNDS.annotations
  if (isTitleLong) note('title_cut')
  if (isTextLong) note('description_cut')
  if (isNoteLarge) note('annotations_left_out')
  if (!isTitleLong && !isTextLong && !isNoteLarge) return definition
  return {
    name,
    inputSchema,
    ...(title === undefined ? {} : { title: cut(title, TOOL_BOUNDS.title) }),
    ...(description === undefined ? {} : { description: cut(description, TOOL_BOUNDS.description) }),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(annotations === undefined || isNoteLarge ? {} : { annotations: withShortTitle(annotations) }),
  }
}

function withShortTitle(annotations: JsonObject): JsonObject {
  const { title } = annotations
  return typeof title === 'string' ? { ...annotations, title: cut(title, TOOL_BOUNDS.title) } : annotations
}

const isLong = (text: unknown, most: number): boolean => typeof text === 'string' && text.length > most

function sizeOf(value: JsonObject | undefined): number {
  try {
    return value === undefined ? 0 : JSON.stringify(value).length
  } catch {
    // Nested too deep to print.
    return Infinity
  }
}

/** Cutting a surrogate pair in half would leave text without a UTF-8 form. */
const cut = (text: string, most: number): string =>
  text.length <= most ? text : text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '')
