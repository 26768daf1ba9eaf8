import { FUNCTION, meaningOf } from './lexicon/vocabulary.ts'
import { ASKS, FIELD_NAME, PROSE, type UserAsk, type Session } from './session.ts'
import type { Words } from './text.ts'
import { valueKey } from './word-index.ts'

/** The texts that ask and contain a value; `any` if it occurs in more places than are checked. */
export type AsksWith = ReadonlySet<UserAsk> | 'any'

export const NOWHERE: AsksWith = new Set<UserAsk>()

/** Where values occur in what a session has read. Each value and each record is looked up once. */
export type Places = {
  /** A field that contains only the value, in a record that vouches for it. */
  alone(words: Words): number | undefined
  /** A field that contains the value, alone or with other words. */
  inData(words: Words): number | undefined
  anywhere(words: Words): number | undefined
  asks(words: Words): AsksWith
}

export const createPlaces = (session: Session): Places => new SessionPlaces(session)

class SessionPlaces implements Places {
  private readonly session: Session
  private named: Map<number, Named> | undefined
  private readonly aloneIn = new Remembered<number | undefined>()
  private readonly dataIn = new Remembered<number | undefined>()
  private readonly anyIn = new Remembered<number | undefined>()
  private readonly asksIn = new Remembered<AsksWith>()

  constructor(session: Session) {
    this.session = session
  }

  alone(words: Words): number | undefined {
    return this.aloneIn.of(valueKey(words), () => this.findAlone(words))
  }

  inData(words: Words): number | undefined {
    return this.dataIn.of(valueKey(words), () => this.find(words, (leaf) => this.isData(leaf)))
  }

  anywhere(words: Words): number | undefined {
    return this.anyIn.of(valueKey(words), () => this.find(words, () => true))
  }

  asks(words: Words): AsksWith {
    if (this.session.asks.length === 0 || words.length === 0 || isTrivial(words)) return NOWHERE
    return this.asksIn.of(valueKey(words), () => this.findAsks(words))
  }

  private findAlone(words: Words): number | undefined {
    const { leaves } = this.session
    let found: number | undefined
    leaves.exact(valueKey(words), (leaf) => {
      if (this.isEcho(leaf, words) || !this.isData(leaf) || (leaves.flags(leaf) & FIELD_NAME) !== 0) return false
      if (!this.isTrustworthy(leaf)) return false
      found = leaf
      return true
    })
    return found
  }

  /** The first leaf that contains the words and counts, unless it only repeats what its own call was given. */
  private find(words: Words, counts: (leaf: number) => boolean): number | undefined {
    let found: number | undefined
    this.session.index.find(words, (place) => {
      const leaf = this.session.leaves.at(place)
      if (!counts(leaf) || this.isEcho(leaf, words)) return false
      found = leaf
      return true
    })
    return found
  }

  private findAsks(words: Words): AsksWith {
    const found = new Set<UserAsk>()
    const looked = this.session.index.find(words, (place) => {
      const ask = this.session.askOf(this.session.leaves.at(place))
      if (ask !== undefined && place + words.length <= ask.to) found.add(ask)
      return false
    })
    return looked === 'too_many' ? 'any' : found
  }

  private isData(leaf: number): boolean {
    return (this.session.leaves.flags(leaf) & (PROSE | ASKS)) === 0
  }

  private isEcho(leaf: number, words: Words): boolean {
    return this.session.isEcho(this.session.leaves.origin(leaf), words)
  }

  /** A record without prose, or one that shares a name with the user's words. */
  private isTrustworthy(leaf: number): boolean {
    const { leaves, origins } = this.session
    const origin = origins[leaves.origin(leaf)]
    if (origin?.house === true || origin?.directory === true) return true
    const record = leaves.record(leaf)
    if ((leaves.recordFlags(record) & (PROSE | ASKS)) === 0) return true
    const named = (this.named ??= new Map<number, Named>())
    const known = named.get(record) ?? namedIn(this.session, leaf)
    named.set(record, known)
    return known.more || (known.first !== undefined && known.first !== leaf)
  }
}

/** Caches the result per value, because a call may contain thousands of equal ones. Most have one or two: the first needs no table. */
class Remembered<T> {
  private first: { readonly key: number; readonly found: T } | undefined
  private known: Map<number, T> | undefined

  of(key: number, look: () => T): T {
    if (this.first === undefined) {
      this.first = { key, found: look() }
      return this.first.found
    }
    if (this.first.key === key) return this.first.found
    const known = (this.known ??= new Map<number, T>())
    const before = known.get(key)
    if (before !== undefined || known.has(key)) return before as T
    const found = look()
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
