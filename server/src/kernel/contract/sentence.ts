import { z } from 'zod'
import { valueAndMark } from './marked-value.ts'

/** The kind of action that a call's sentence describes. */
export const SentenceAction = z.enum([
  'send',
  'pay',
  'delete',
  'write_file',
  'run_command',
  'change',
  'fetch',
  'read',
  'unknown',
])
export type SentenceAction = z.infer<typeof SentenceAction>

/**
 * A part of a sentence. `text`: the gate's own words. `value`: taken from the arguments. `outside`: taken from the arguments, and
 * it came from outside. Values are shown as data, never as markup, with every character visible.
 */
export const SentencePiece = z.discriminatedUnion('is', [
  z.object({ is: z.literal('text'), text: z.string() }),
  /**
   * `at`: a JSON pointer into the arguments; absent for a name that is not an argument, such as the tool's id. `mark`: what can mislead
   * about a recipient; the text ends with it.
   */
  z.object({ is: z.literal('value'), text: z.string(), at: z.string().optional(), mark: z.string().optional() }),
  z.object({ is: z.literal('outside'), text: z.string(), at: z.string(), mark: z.string().optional() }),
])
export type SentencePiece = z.infer<typeof SentencePiece>

/**
 * What a person types to approve a strong request: what matters most in the call, chosen by the roles of its arguments and never by
 * their values. `words` are as shown; all of them have to be typed.
 */
export const Confirm = z.object({
  what: z.enum(['recipient', 'amount', 'file', 'folder', 'command', 'host', 'name', 'tool']),
  words: z.array(z.string()).readonly(),
})
export type Confirm = z.infer<typeof Confirm>

/**
 * Describes a call in one sentence, made by templates from effects, schema and arguments. Never a model's or the tool's own
 * words.
 */
export const Sentence = z.object({
  action: SentenceAction,
  pieces: z.array(SentencePiece).readonly(),
  /** On the button that approves: `Approve and pay €4,820.00`. */
  button: z.string(),
  /** What a person types to approve the call, if the approval is more than simple. */
  confirm: Confirm.optional(),
})
export type Sentence = z.infer<typeof Sentence>

/**
 * The same without values, for a screen that others can see: `Send an e-mail to …`. Of a command it names the program: `Run npm …`.
 */
export function sentenceWithoutValues({ action, pieces }: Pick<Sentence, 'action' | 'pieces'>): string {
  const command = action === 'run_command' ? pieces.find((piece) => piece.is !== 'text') : undefined
  return pieces
    .map((piece) => (piece.is === 'text' ? piece.text : piece === command ? programIn(piece.text) : '…'))
    .join('')
    .replaceAll(/…(?:(?:, | and )…)+/g, '…')
    .replace(/\. (?:Also|It names).*$/s, '')
}

const PROGRAM = /^(?:[\w.~/-]*\/)?([a-z][\w.-]{0,30})(?=\s|$)/i

function programIn(command: string): string {
  const [whole = '', program] = PROGRAM.exec(command) ?? []
  if (program === undefined) return '…'
  return whole === command ? program : `${program} …`
}

/**
 * The sentence as one line, for a terminal, a chat or a notification. A value that could be mistaken for our own words is in
 * quotation marks, which it cannot close.
 */
export const sentenceText = ({ pieces }: Pick<Sentence, 'pieces'>): string =>
  pieces.map((piece) => (piece.is === 'text' ? piece.text : valueWithMark(piece))).join('')

/** What can mislead about a value is not a part of it. */
function valueWithMark(piece: Exclude<SentencePiece, { is: 'text' }>): string {
  const { value, mark } = valueAndMark(piece)
  return mark === undefined ? quotedValue(value) : `${quotedValue(value)} ⟨${mark}⟩`
}

const ONE_WORD = /^(?!.*,$)[^\s“”"'`;()⟨⟩]{1,120}$/u

/** A value within words of ours. */
export const quotedValue = (value: string) => (ONE_WORD.test(value) ? value : `“${value.replaceAll(/[“”]/g, '"')}”`)
