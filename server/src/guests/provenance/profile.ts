import type { ToolDefinition } from '../../kernel/contract/tool.ts'
import { isJsonObject } from '../../kernel/contract/json.ts'
import { ALL_GROUPS, FETCH, FUNCTION, conceptOf, meaningOf } from './lexicon/vocabulary.ts'
import { hashWord, stemOf, readWords } from './text.ts'

/** What a tool is for: the groups of its verbs and the things it is about. */
export type Profile = {
  readonly groups: number
  /** The verbs themselves, as stems: a request with the same verb matches best. */
  readonly verbs: ReadonlySet<number>
  readonly nouns: ReadonlySet<number>
  /** Nouns of its parameters: weaker evidence. */
  readonly fields: ReadonlySet<number>
}

/** A second verb counts if it is joined to the first: `create and send`. */
const JOINS = new Set(['and', 'or', 'then', 'und', 'oder', 'y', 'o'].map(hashWord))

/** Nouns that most tools share say nothing about this one. */
const COMMON = new Set(
  'user system tool api function data value given specified new current id name list type string number information detail details using use provided specific return object request result status item time set one following'
    .split(' ')
    .map((word) => conceptOf(stemOf(word))),
)

/** INVARIANT: the name is used only if there is no description, so renaming a tool changes nothing (law in profile.test.ts). */
export function profileOf({ name, description, inputSchema }: ToolDefinition): Profile {
  const text = firstSentences(description ?? '') || splitName(name)
  const words = readWords(text)
  const nouns = new Set<number>()
  const verbs = new Set<number>()
  let groups = 0
  for (let i = 0; i < words.length; i += 1) {
    const bits = meaningOf(words.full[i] ?? 0)
    const concept = conceptOf(words.stem[i] ?? 0)
    const joined = i > 0 && JOINS.has(words.full[i - 1] ?? 0)
    if ((bits & ALL_GROUPS) !== 0 && i < VERBS_WITHIN && (groups === 0 || joined)) {
      groups |= bits & ALL_GROUPS
      verbs.add(words.stem[i] ?? 0)
    } else if ((bits & FUNCTION) === 0 && !COMMON.has(concept)) nouns.add(concept)
  }
  if ((groups & ~FETCH) !== 0) groups &= ~FETCH
  const fields = new Set<number>()
  const properties = inputSchema['properties']
  if (isJsonObject(properties))
    for (const field of Object.keys(properties)) {
      const parts = readWords(splitName(field))
      for (let i = 0; i < parts.length; i += 1) {
        const concept = conceptOf(parts.stem[i] ?? 0)
        if (!COMMON.has(concept)) fields.add(concept)
      }
    }
  return { groups, verbs, nouns, fields }
}

/** A description says in its first words what the tool does. */
const VERBS_WITHIN = 12
const MOST_DESCRIPTION = 400

function firstSentences(description: string): string {
  const text = description.slice(0, MOST_DESCRIPTION).trim()
  const end = /[.!?](?:\s|$)|\n\n/.exec(text.slice(20))
  return end === null ? text : text.slice(0, 20 + end.index)
}

export const splitName = (name: string): string =>
  name
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .replaceAll(/[_.\-/]+/g, ' ')
    .toLowerCase()
