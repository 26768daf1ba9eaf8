import type { Confirm } from './sentence.ts'

/** A request whose sentence has none is confirmed by its tool's name. */
export const confirmOf = (packet: {
  readonly skill_id: string
  readonly sentence?: { readonly confirm?: Confirm | undefined } | undefined
}): Confirm => packet.sentence?.confirm ?? { what: 'tool', words: [packet.skill_id] }

/** All words in their order, separated by spaces, commas or line breaks; quotation marks around them are optional. Letter case counts. */
export const isTyped = ({ words }: Confirm, typed: string | undefined): boolean =>
  typed !== undefined && folded(typed) !== '' && folded(typed) === folded(words.join(' '))

/** Whether this is how the right text begins. */
export const isBeingTyped = ({ words }: Confirm, typed: string): boolean =>
  folded(words.join(' ')).startsWith(folded(typed))

const folded = (text: string) =>
  text
    .normalize('NFC')
    .replaceAll(/[\s,;“”]+/g, ' ')
    .trim()

const NOUNS: Readonly<Record<Confirm['what'], readonly [one: string, many: string]>> = {
  recipient: ['the recipient', 'all recipients'],
  amount: ['the amount', 'all amounts'],
  file: ['the file', 'all files'],
  folder: ['the folder', 'all folders'],
  command: ['the command', 'the command'],
  host: ['the address', 'all addresses'],
  name: ['the name', 'all names'],
  tool: ['the name of the tool', 'the name of the tool'],
}

/** `the recipient: joe@example.com` */
export const confirmWords = ({ what, words }: Confirm): { readonly kind: string; readonly word: string } => ({
  kind: NOUNS[what][words.length === 1 ? 0 : 1],
  word: words.join(', '),
})
