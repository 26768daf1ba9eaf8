import { FUNCTION, meaningOf } from './lexicon/vocabulary.ts'
import { ASKS, FIELD_NAME, PROSE, type Ask, type Session } from './session.ts'
import type { Words } from './text.ts'
import { valueKey } from './word-index.ts'

/** The texts that ask and contain a value; `any` if it occurs in more places than are checked. */
export type AsksWith = ReadonlySet<Ask> | 'any'

export const NOWHERE: AsksWith = new Set<Ask>()

/** Where values occur in what a session has read. Each value and each record is looked up once. */
export type Places = {
  /** A field that contains only the value, in a record that vouches for it. */
  alone(words: Words): number | undefined
  /** A field that contains the value, alone or with other words. */
  inData(words: Words): number | undefined
  anywhere(words: Words): number | undefined
  asks(words: Words): AsksWith
}

export function createPlaces(session: Session): Places {
  const named = new Map<number, Named>()
  const isData = (leaf: number): boolean => (session.leaves.flags(leaf) & (PROSE | ASKS)) === 0
  const isEcho = (leaf: number, words: Words): boolean => session.isEcho(session.leaves.origin(leaf), words)

  /** A record without prose, or one that shares a name with the user's words. */
  function isTrustworthy(leaf: number): boolean {
    const { leaves } = session
    const origin = session.origins[leaves.origin(leaf)]
    if (origin?.house === true || origin?.directory === true) return true
    const record = leaves.record(leaf)
    if ((leaves.recordFlags(record) & (PROSE | ASKS)) === 0) return true
    const known = named.get(record) ?? namedIn(session, leaf)
    named.set(record, known)
    return known.more || (known.first !== undefined && known.first !== leaf)
  }

  return {
    alone: once((words) => {
      let found: number | undefined
      session.leaves.exact(valueKey(words), (leaf) => {
        if (isEcho(leaf, words) || !isData(leaf) || (session.leaves.flags(leaf) & FIELD_NAME) !== 0) return false
        if (!isTrustworthy(leaf)) return false
        found = leaf
        return true
      })
      return found
    }),
    inData: once((words) => {
      let found: number | undefined
      session.index.find(words, (place) => {
        const leaf = session.leaves.at(place)
        if (!isData(leaf) || isEcho(leaf, words)) return false
        found = leaf
        return true
      })
      return found
    }),
    anywhere: once((words) => {
      let found: number | undefined
      session.index.find(words, (place) => {
        const leaf = session.leaves.at(place)
        if (isEcho(leaf, words)) return false
        found = leaf
        return true
      })
      return found
    }),
    asks: once((words) => {
      if (session.asks.length === 0 || words.length === 0 || isTrivial(words)) return NOWHERE
      const found = new Set<Ask>()
      const looked = session.index.find(words, (place) => {
        const ask = session.askOf(session.leaves.at(place))
        if (ask !== undefined && place + words.length <= ask.to) found.add(ask)
        return false
      })
      return looked === 'too_many' ? 'any' : found
    }),
  }
}

/** Caches the result per value, because a call may contain thousands of equal ones. */
function once<T>(look: (words: Words) => T): (words: Words) => T {
  let known: Map<number, T> | undefined
  // Most calls have a value or two: the first one needs no table.
  let first: { readonly key: number; readonly found: T } | undefined
  return (words) => {
    const key = valueKey(words)
    if (first === undefined) {
      first = { key, found: look(words) }
      return first.found
    }
    if (first.key === key) return first.found
    known ??= new Map()
    const before = known.get(key)
    if (before !== undefined || known.has(key)) return before as T
    const found = look(words)
    known.set(key, found)
    return found
  }
}

/** The first field of a record that the user named, and whether there are others. */
type Named = { readonly first?: number; readonly more: boolean }

function namedIn(session: Session, leaf: number): Named {
  const { leaves } = session
  const record = leaves.record(leaf)
  let start = leaf
  while (start > 0 && leaves.record(start - 1) === record) start -= 1
  let first: number | undefined
  for (let i = start; i < leaves.count && leaves.record(i) === record; i += 1) {
    if (!isNamed(session, i)) continue
    if (first !== undefined) return { first, more: true }
    first = i
  }
  return { more: false, ...(first === undefined ? {} : { first }) }
}

function isNamed(session: Session, leaf: number): boolean {
  if ((session.leaves.flags(leaf) & (PROSE | ASKS)) !== 0) return false
  const words = session.index.read(session.leaves.start(leaf), session.leaves.end(leaf))
  return words.length > 0 && words.length <= 4 && session.user.names(words)
}

const isTrivial = (words: Words): boolean => words.length === 1 && (meaningOf(words.full[0] ?? 0) & FUNCTION) !== 0
