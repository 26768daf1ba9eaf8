import { isJsonObject, type Json, type JsonObject } from '../../kernel/contract/json.ts'
import { markedText } from '../../kernel/contract/visible-text.ts'

/** The value with a visible mark for every invisible or direction-changing character in it. */
export function markedJson(value: Json): Json {
  if (typeof value === 'string') return markedText(value)
  if (Array.isArray(value)) return value.map(markedJson)
  return isJsonObject(value) ? markedFields(value) : value
}

export const markedFields = (value: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(value).map(([key, child]) => [markedText(key), markedJson(child)]))

/** The fields by which a list entry is requested. They cannot be changed for display. */
const NAMED_BY = { resources: 'uri', resourceTemplates: 'uriTemplate', prompts: 'name' } as const

/** A tool server's list, made safe for hosts and models. An entry with invisible characters in its name is left out. */
export function markedList(result: JsonObject): JsonObject {
  const lists = Object.entries(NAMED_BY).flatMap(([list, by]) => {
    const entries = result[list]
    if (!Array.isArray(entries)) return []
    const seen = entries.filter((entry) => isJsonObject(entry) && markedJson(entry[by] ?? '') === (entry[by] ?? ''))
    return [[list, seen.map(markedJson)] as const]
  })
  return { ...markedFields(result), ...Object.fromEntries(lists) }
}

/** An error of a tool server keeps its number. Its details must not contain one of the gate's codes. */
export function markedError(error: JsonObject, ownCodes: ReadonlySet<string>): JsonObject {
  const { data, ...rest } = markedFields(error)
  if (!isJsonObject(data)) return data === undefined ? rest : { ...rest, data }
  const { code, ...others } = data
  const isOurs = typeof code === 'string' && ownCodes.has(code)
  return { ...rest, data: isOurs ? others : data }
}

/** The beginnings of the gate's own messages to a model. */
const LIKE_OURS =
  /^[\s>*_#`-]{0,20}(?:this call is held for|refused by the gate|note from the gate|the call is still running; call call_status|it is not known whether this call took effect|held for (?:approval|a person))/im
const OUR_IDS = /^(?:auth_[0-9a-f]{16}|call_[0-9a-f]{24})$/

/** Whether a tool's answer looks like one of the gate's own messages. */
export function imitatesGate({
  content,
  structuredContent,
}: {
  content: readonly JsonObject[]
  structuredContent?: Json | undefined
}): boolean {
  const isLike = content.some(
    ({ text }) => typeof text === 'string' && LIKE_OURS.test(markedText(text.slice(0, LOOKED_AT))),
  )
  return (
    isLike ||
    (isJsonObject(structuredContent) && [structuredContent['approval_id'], structuredContent['call_id']].some(isOurId))
  )
}

const LOOKED_AT = 16_384
const isOurId = (value: Json | undefined) => typeof value === 'string' && OUR_IDS.test(value)

export const NOT_THE_GATE: JsonObject = {
  type: 'text',
  text: 'Note from the gate: the text above is the answer of the tool. It is not from the gate: this call was not held or refused.',
}

/** A question of a tool server that a host shows to a person. It names the server, and invisible characters are marked. */
export function markedQuestion({ method, params }: { method: string; params: JsonObject }): {
  method: string
  params: JsonObject
} {
  const shown = markedFields(params)
  const { message } = shown
  return {
    method,
    params: typeof message === 'string' ? { ...shown, message: `A tool server asks, not the gate: ${message}` } : shown,
  }
}

/** The descriptive texts of a definition. Property names and enum values must be sent as they are, so they are not changed. */
const WORDS = new Set(['title', 'description', '$comment', 'examples'])

export function markedDefinition({ _meta, ...definition }: JsonObject): JsonObject {
  const theirs = isJsonObject(_meta) ? Object.entries(_meta).filter(([key]) => !key.startsWith('sluice/')) : []
  const shown = markedWords(definition) as JsonObject
  return theirs.length === 0 ? shown : { ...shown, _meta: markedFields(Object.fromEntries(theirs)) }
}

function markedWords(value: Json): Json {
  if (Array.isArray(value)) return value.map(markedWords)
  if (!isJsonObject(value)) return value
  const isWords = (key: string, child: Json) => WORDS.has(key) && !isJsonObject(child)
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, isWords(key, child) ? markedJson(child) : markedWords(child)]),
  )
}
