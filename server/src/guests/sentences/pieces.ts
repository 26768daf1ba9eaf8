import type { SentencePiece } from '../../kernel/contract/sentence.ts'
import type { ValueSource } from '../../kernel/sessions/value-source.ts'
import { grouped } from '../../kernel/contract/framed-text.ts'
import { numberedText } from '../../kernel/contract/visible-text.ts'
import { hostsIn, namesIn, punycodeIn } from '../../kernel/text/hosts.ts'
import { PEOPLE, type ArgumentLeaf, type ArgumentRole } from '../../kernel/text/argument-roles.ts'
import { marksOf, type LookAlikeValue } from '../../kernel/approvals/recipient-marks.ts'

export const text = (words: string): SentencePiece => ({ is: 'text', text: words })

/** A name that is not an argument, such as a tool id. */
export const name = (word: string): SentencePiece => ({ is: 'value', text: printed(cutText(word)) })

/** A value as printed: everything visible, long runs of spaces counted, and the punycode of a host with non-ASCII letters. */
export function printed(value: string): string {
  if (value === '') return '(empty)'
  const host = punycodeIn(value)
  const shown = numberedText(value).replaceAll(/ {8,}/g, (run) => `⟨U+0020 × ${run.length}⟩`)
  return host === undefined ? shown : `${shown} ⟨${numberedText(host)}⟩`
}

export type Printer = {
  /** The value of a leaf, or another text for it. */
  value(leaf: ArgumentLeaf, shown?: string): SentencePiece
  isFromOutside(leaf: ArgumentLeaf): boolean
  /** Whether it looks like a value of another type in the same call, such as `"1"` and `1`. */
  isAmbiguous(leaf: ArgumentLeaf): boolean
}

const CUT: ReadonlySet<ArgumentRole> = new Set([...PEOPLE, 'amount', 'currency', 'detail'])
const LITERALS: ReadonlySet<string> = new Set(['true', 'false', 'null'])

/**
 * Marks the values that came from outside (the value itself, a text that contains it, or a part of it), and recipients that can be
 * mistaken for others.
 */
export function printerOf(
  sources: readonly ValueSource[],
  leaves: readonly ArgumentLeaf[] = [],
  look_alikes: readonly LookAlikeValue[] = [],
): Printer {
  const outside = sources.filter(({ kind }) => kind === 'outside').map(({ at }) => at)
  const isFromOutside = ({ at }: ArgumentLeaf) =>
    outside.some((place) => place === at || at.startsWith(`${place}/`) || place.startsWith(`${at}/`))
  const others = new Set(leaves.filter(({ isText }) => !isText).map((leaf) => leaf.text))
  const isAmbiguous = (leaf: ArgumentLeaf) => leaf.isText && (others.has(leaf.text) || LITERALS.has(leaf.text))
  const marks = marksOf(
    leaves.filter(({ role }) => PEOPLE.has(role)),
    look_alikes,
  )
  const shownOf = (leaf: ArgumentLeaf) => {
    const text = isAmbiguous(leaf) ? JSON.stringify(leaf.text) : leaf.text
    return CUT.has(leaf.role) ? cutPrinted(text) : printed(text)
  }
  return {
    isFromOutside,
    isAmbiguous,
    value: (leaf, shown = shownOf(leaf)) => {
      const mark = PEOPLE.has(leaf.role) ? marks(leaf) : undefined
      const piece = { text: mark === undefined ? shown : `${shown} ⟨${mark}⟩`, at: leaf.at }
      return { is: isFromOutside(leaf) ? 'outside' : 'value', ...piece, ...(mark === undefined ? {} : { mark }) }
    },
  }
}

/** A longer recipient, amount or name is cut, with a mark. */
const LONGEST = 320

function cutText(text: string): string {
  const letters = Array.from(text)
  return letters.length > LONGEST ? `${letters.slice(0, LONGEST).join('')}…` : text
}

/** Addresses in the part that is cut off are named. */
function cutPrinted(text: string): string {
  const letters = text.length > LONGEST ? Array.from(text) : []
  if (letters.length <= LONGEST) return printed(text)
  const hidden = [...new Set([...hostsIn(text), ...namesIn(text)])].map(numberedText)
  const names = hidden.length === 0 ? '' : `; it names ${hidden.join(', ')}`
  return `${printed(letters.slice(0, LONGEST).join(''))}… ⟨${grouped(letters.length)} characters${names}⟩`
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
