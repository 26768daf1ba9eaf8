import { BAR, brokenText, CONTINUED, count, framedText } from '../../kernel/contract/framed-text.ts'
import { Sentence, sentenceText } from '../../kernel/contract/sentence.ts'
import { countedSpaces, quoted, shortened, visibleText } from '../../kernel/contract/visible-text.ts'
import { argumentLines } from './argument-lines.ts'
import { askedWords } from './asked-lines.ts'
import { isStrong, typingWords } from './confirm.ts'
import { evidenceOf, fieldsOf, textOf, timeOf, toneOf, type PrintedFields, type Tone } from './print.ts'

export type PacketLine = { readonly text: string; readonly tone?: Tone }

/** `most`: maximum lines of one part of the packet, the rest is counted; `more` says how to see it. */
export type PacketFrame = {
  readonly width: number
  readonly most: number
  readonly more: string
  readonly reveal: string
}

const LONGEST_NAME = 48
/** In a folded packet, the evidence is cut to this length and number. */
const LONGEST_NOTE = 240
const MOST_NOTES = 6
const SHORT_DIGEST = 16
const INDENT = 2
/** The bar before text that is not an argument. */
const FREE_TEXT = '┆ '

/**
 * One request as an approver reads it. Text of others is behind a bar or in quotes; every other line is ours, and none is
 * wider than the screen, so that no text of theirs can begin a line.
 */
export function packetLines(packet: PrintedFields, frame: PacketFrame): PacketLine[] {
  const asker = fieldsOf(packet['asked_by'])
  const ours = (text: string, tone?: Tone): PacketLine[] => ourLines(text, frame.width, tone)
  const until = timeOf(packet['expires_at'])
  const by = `asked by ${nameOf(asker['id'])} for ${nameOf(asker['user'])} in session ${quoted(textOf(packet['thread']), LONGEST_NAME)}`
  return [
    ...sentenceLines(packet, frame),
    ...ours(`${by}, decide until ${until}`),
    ...(isStrong(packet) && packet['state'] === 'pending' ? ours(`to approve, ${typingWords(packet)}`, 'held') : []),
    ...runLines(packet, frame),
    ...askedWords(packet).flatMap((text) => ours(text)),
    ...hubLines(packet, frame),
    ...hiddenLines(packet, frame),
    ...evidenceLines(packet, frame),
    ...part('arguments', argumentLines(textOf(packet['proposed_args']), inner(frame))),
    ...(packet['edited_from'] === undefined
      ? []
      : part('before the edit', argumentLines(textOf(packet['edited_from']), inner(frame)))),
    ...previewLines(packet, frame),
    ...['rollback', 'check', 'verify'].flatMap((name) => ours(noteOf(textOf(packet[name]), frame))),
    ...ours(
      `request digest ${isFolded(frame) ? textOf(packet['digest']).slice(0, SHORT_DIGEST) : textOf(packet['digest'])}`,
      'quiet',
    ),
  ]
}

/** What the call does. Values are in quotation marks if they could be mistaken for our own words. */
function sentenceLines(packet: PrintedFields, { width }: PacketFrame): PacketLine[] {
  const sentence = Sentence.safeParse(packet['sentence'])
  return sentence.success ? ourLines(sentenceText(sentence.data), width, 'head') : []
}

/** Which run made the call, and where in it. */
function runLines(packet: PrintedFields, frame: PacketFrame): PacketLine[] {
  if (packet['by_run'] === undefined) return []
  const { run_id, kind, step } = fieldsOf(packet['by_run'])
  const where = `called by the ${textOf(kind)} ${textOf(run_id)}, at ${quoted(textOf(step), LONGEST_NAME)}`
  return ourLines(where, frame.width, undefined)
}

/** At a node: that the request is decided at the hub. */
function hubLines(packet: PrintedFields, { width }: PacketFrame): PacketLine[] {
  if (packet['decided_at'] === undefined) return []
  const { hub, url } = fieldsOf(packet['decided_at'])
  return ourLines(`the hub ${visibleText(textOf(hub))} decides, not this gate: ${textOf(url)}`, width, 'held')
}

const isFolded = ({ most }: PacketFrame) => most !== Number.MAX_SAFE_INTEGER
const noteOf = (note: string, frame: PacketFrame) =>
  isFolded(frame) ? shortened(visibleText(note), LONGEST_NOTE) : note

function evidenceLines(packet: PrintedFields, frame: PacketFrame): PacketLine[] {
  const notes = evidenceOf(packet)
  const shown = isFolded(frame) ? notes.slice(0, MOST_NOTES) : notes
  const more = notes.length - shown.length
  return [
    ...shown.flatMap((note) => ourLines(noteOf(note, frame), frame.width, toneOf(note))),
    ...(more > 0 ? ourLines(`… ${count(more, 'more reason')}${frame.more}`, frame.width, 'held') : []),
  ]
}

/** `auth_… book__note strong pending`. */
export function packetHead(packet: PrintedFields): string {
  const { approval_id, skill_id, strength, state } = packet
  return `${textOf(approval_id)}  ${nameOf(skill_id)}  ${textOf(strength)}  ${textOf(state)}`
}

export const nameOf = (value: unknown): string => shortened(countedSpaces(visibleText(textOf(value))), LONGEST_NAME)

const inner = ({ width, most, more }: PacketFrame) => ({
  width: width - INDENT - BAR.length,
  most: 3 * most,
  each: most,
  more,
})

function ourLines(text: string, width: number, tone: Tone | undefined): PacketLine[] {
  if (text === '') return []
  const [first = '', ...more] = brokenText(countedSpaces(text), width - CONTINUED.length)
  return [line(`${' '.repeat(INDENT)}${first}`, tone), ...more.map((piece) => line(`${CONTINUED}${piece}`, tone))]
}

const line = (text: string, tone?: Tone): PacketLine => (tone === undefined ? { text } : { text, tone })

function part(name: string, lines: readonly string[]): PacketLine[] {
  const indent = ' '.repeat(INDENT)
  return [line(`${indent}${name}`), ...lines.map((text) => line(`${indent}  ${text}`))]
}

function previewLines(packet: PrintedFields, frame: PacketFrame): PacketLine[] {
  const content = fieldsOf(packet['preview'])['content']
  if (!Array.isArray(content)) return []
  const text = content.map((block) => textOf(fieldsOf(block)['text'] ?? block)).join('\n')
  const { width, most, more } = inner(frame)
  return part('preview', framedText(text, { width, most, more, bar: FREE_TEXT }))
}

const MOST_PLACES = 5

/** What is hidden is mentioned first. */
function hiddenLines(packet: PrintedFields, { width, reveal }: PacketFrame): PacketLine[] {
  const places = Array.isArray(packet['hidden']) ? packet['hidden'].map(fieldsOf) : []
  const named = places.slice(0, MOST_PLACES).flatMap(({ in: where, at, length, type }) => {
    const place = `${textOf(where)} ${quoted(textOf(at), LONGEST_NAME)}`
    return ourLines(`hidden: ${count(Number(length), 'character')} in ${place} (${textOf(type)})`, width, 'bad')
  })
  const more = places.length - MOST_PLACES
  return [
    ...named,
    ...(more > 0 ? ourLines(`hidden: ${count(more, 'more place')}`, width, 'bad') : []),
    ...(places.length === 0 ? [] : ourLines(reveal, width, 'bad')),
  ]
}
