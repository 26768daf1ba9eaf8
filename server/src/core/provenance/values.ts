import type { Json } from '../../contract/json.ts'
import { FUNCTION, meaningOf } from './lexicon/vocabulary.ts'
import { argumentLeaves } from './leaves.ts'
import { roleOf, schemaAt, type Role } from './roles.ts'
import { ASKS, FIELD_NAME, PROSE, type Ask, type Session } from './session.ts'
import type { ToolDefinition } from '../../contract/tool.ts'
import { readWords, type Words } from './text.ts'
import { valueKey } from './word-index.ts'

/** Where a value comes from. `none`: from prose, or from nowhere; re-encoding a value can lead here and nowhere better. */
export type Provenance = 'user' | 'constant' | 'approved' | 'data' | 'none'

export type Value = {
  readonly path: string
  readonly key: string
  readonly role: Role
  readonly text: string
  readonly words: Words
  readonly from: Provenance
  /** Of data: the leaf that vouches for it. Of `none`: the leaf it stands in, if any. */
  readonly leaf?: number
}

export function valuesOf(session: Session, definition: ToolDefinition, args: Json): Value[] {
  return argumentLeaves(args).map(({ text, path, key }) => {
    const schema = schemaAt(definition.inputSchema, path)
    const role = roleOf(key, text, schema)
    const words = readWords(text)
    const value = { path, key, role, text, words }
    const constant = schema !== undefined && isConstant(schema, text)
    if (session.user.typed(text, words)) return { ...value, from: 'user' }
    if (constant || words.length === 0) return { ...value, from: 'constant' }
    if (session.approved(words)) return { ...value, from: 'approved' }
    if (role !== 'destination' && words.length > 1 && session.user.covers(words)) return { ...value, from: 'user' }
    const data = role === 'destination' ? dataLeaf(session, words) : dataPlace(session, words)
    if (data !== undefined) return { ...value, from: 'data', leaf: data }
    const leaf = anyPlace(session, words)
    return { ...value, from: 'none', ...(leaf === undefined ? {} : { leaf }) }
  })
}

function isConstant(schema: { readonly [name: string]: Json }, text: string): boolean {
  const choices = schema['enum']
  return [schema['default'], ...(Array.isArray(choices) ? choices : [])].some(
    (choice) => choice !== null && typeof choice !== 'object' && String(choice) === text,
  )
}

const isData = (session: Session, leaf: number): boolean => (session.leaves.flags(leaf) & (PROSE | ASKS)) === 0

/** A field that holds the value and nothing else. */
function dataLeaf(session: Session, words: Words): number | undefined {
  let found: number | undefined
  session.leaves.exact(valueKey(words), (leaf) => {
    if (session.isEcho(session.leaves.origin(leaf), words)) return false
    if (!isData(session, leaf) || (session.leaves.flags(leaf) & FIELD_NAME) !== 0 || !isTrustworthy(session, leaf))
      return false
    found = leaf
    return true
  })
  return found
}

/** A field that holds the value, alone or with other words. */
function dataPlace(session: Session, words: Words): number | undefined {
  let found: number | undefined
  session.index.find(words, (place) => {
    const leaf = session.leaves.at(place)
    if (!isData(session, leaf) || session.isEcho(session.leaves.origin(leaf), words)) return false
    found = leaf
    return true
  })
  return found
}

function anyPlace(session: Session, words: Words): number | undefined {
  let found: number | undefined
  session.index.find(words, (place) => {
    const leaf = session.leaves.at(place)
    if (session.isEcho(session.leaves.origin(leaf), words)) return false
    found = leaf
    return true
  })
  return found
}

/** A record that holds no prose, or that shares a name with the user's words. */
function isTrustworthy(session: Session, leaf: number): boolean {
  const { leaves } = session
  const origin = session.origins[leaves.origin(leaf)]
  if (origin?.house === true || origin?.directory === true) return true
  const record = leaves.record(leaf)
  if ((leaves.recordFlags(record) & (PROSE | ASKS)) === 0) return true
  for (let i = leaf - 1; i >= 0 && leaves.record(i) === record; i -= 1) if (isNamed(session, i)) return true
  for (let i = leaf + 1; i < leaves.count && leaves.record(i) === record; i += 1) if (isNamed(session, i)) return true
  return false
}

function isNamed(session: Session, leaf: number): boolean {
  if (!isData(session, leaf)) return false
  const words = session.index.read(session.leaves.start(leaf), session.leaves.end(leaf))
  return words.length > 0 && words.length <= 4 && session.user.names(words)
}

/** Whether a value stands in a text that asks. Short ones count too: `13`. */
export function standsIn(session: Session, value: Value, ask: Ask): boolean {
  if (value.words.length === 0 || isTrivial(value)) return false
  let found = false
  const looked = session.index.find(value.words, (place) => {
    found = place >= ask.from && place + value.words.length <= ask.to
    return found
  })
  return found || looked === 'too_many'
}

const isTrivial = ({ words }: Value): boolean => words.length === 1 && (meaningOf(words.full[0] ?? 0) & FUNCTION) !== 0
