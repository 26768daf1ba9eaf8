import type { SentencePiece } from '../../contract/sentence.ts'
import type { ValueSource } from '../../contract/value-source.ts'
import { numberedText } from '../../contract/visible-text.ts'
import { punycodeIn } from './hosts.ts'
import type { Leaf } from './leaves.ts'

export const text = (words: string): SentencePiece => ({ is: 'text', text: words })

/** A name that is not an argument, such as a tool id. */
export const name = (word: string): SentencePiece => ({ is: 'value', text: printed(word) })

/** A value as printed: everything visible, long runs of spaces counted, and the punycode of a host with non-ASCII letters. */
export function printed(value: string): string {
  if (value === '') return '(empty)'
  const host = punycodeIn(value)
  const shown = numberedText(value).replaceAll(/ {8,}/g, (run) => `⟨U+0020 × ${run.length}⟩`)
  return host === undefined ? shown : `${shown} ⟨${numberedText(host)}⟩`
}

export type Printer = {
  /** The value of a leaf, or another text for it. */
  value(leaf: Leaf, shown?: string): SentencePiece
  isFromOutside(leaf: Leaf): boolean
}

/** Marks the values that came from outside: the value itself, a text that contains it, or a part of it. */
export function printerOf(sources: readonly ValueSource[]): Printer {
  const outside = sources.filter(({ kind }) => kind === 'outside').map(({ at }) => at)
  const isFromOutside = ({ at }: Leaf) =>
    outside.some((place) => place === at || at.startsWith(`${place}/`) || place.startsWith(`${at}/`))
  return {
    isFromOutside,
    value: (leaf, shown) => ({
      is: isFromOutside(leaf) ? 'outside' : 'value',
      text: shown ?? printed(leaf.text),
      at: leaf.at,
    }),
  }
}

/** `a`, `b` and `c`. */
export function joined(pieces: readonly SentencePiece[]): SentencePiece[] {
  return pieces.flatMap((piece, index) => {
    if (index === 0) return [piece]
    return [text(index === pieces.length - 1 ? ' and ' : ', '), piece]
  })
}

export const counted = (figure: number, what: string, many = `${what}s`): string =>
  `${figure} ${figure === 1 ? what : many}`
