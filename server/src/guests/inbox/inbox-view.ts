import { Box, Text } from 'ink'
import { createElement as h, type ReactElement } from 'react'
import { count } from '../../kernel/contract/framed-text.ts'
import { countedSpaces, shortened, visibleText } from '../../kernel/contract/visible-text.ts'
import { typingWords } from '../../adapters/cli/confirm.ts'
import { nameOf, packetLines, type PacketLine } from '../../adapters/cli/packet-lines.ts'
import { fieldsOf, textOf, type PrintedFields } from '../../adapters/cli/print.ts'
import { chosenIn, idOf, type Inbox, type Typing } from './inbox.ts'

const LISTED = 8
const HELP = '↑↓ choose   a approve   w always allow…   d deny   e edit   v show all   r reveal   q quit'
const READING = '↑↓ PgUp PgDn scroll   v back   a approve   w always allow…   d deny   e edit   r reveal   q quit'
const FOLDED = 6
/** Lines for the border, the head of the packet, the title, the last message, and the line of keys, which may take two. */
const AROUND = 8

/** The last message may be this many lines long, and one more for the breaks between words. */
const SAID = 2

/** Of the terminal. */
export type Size = { readonly columns: number | undefined; readonly rows: number | undefined }

/** The inbox as a screen: the pending requests, the selected one, and the input line. It is never taller than the terminal. */
export function inboxView(inbox: Inbox, now: number, { columns = 80, rows = 24 }: Size): ReactElement {
  const item = chosenIn(inbox)
  const { listed, says, room } = layoutOf(inbox, { columns, rows })
  return h(
    Box,
    { flexDirection: 'column' },
    h(Text, { bold: true }, titleOf(inbox)),
    ...listed.map(({ row, index }) => rowView(row, index === inbox.selected, now)),
    ...(item === undefined ? [] : [detailsView(item, { columns, room, whole: inbox.whole })]),
    ...(says === undefined ? [] : [h(Text, { color: 'yellow', key: 'says', wrap: 'wrap' }, says)]),
    inbox.typing === undefined
      ? h(Text, { dimColor: true, wrap: 'wrap' }, inbox.whole === undefined ? HELP : READING)
      : typingView(inbox.typing, item ?? {}),
  )
}

type Layout = {
  readonly listed: readonly { readonly row: PrintedFields; readonly index: number }[]
  readonly says: string | undefined
  /** For the lines of the packet. */
  readonly room: number
}

function layoutOf(inbox: Inbox, { columns, rows }: { readonly columns: number; readonly rows: number }): Layout {
  const listed = inbox.whole === undefined ? windowOf(inbox, Math.min(LISTED, Math.floor(rows / 4))) : []
  const says = inbox.says === undefined ? undefined : shortened(visibleText(inbox.says), SAID * columns)
  const room = Math.max(3, rows - AROUND - listed.length - (says === undefined || says.length <= columns ? 0 : SAID))
  return { listed, says, room }
}

/** The lines of the selected packet that are on the screen, and how many it has. None are if something of them is folded. */
export function linesOnScreen(
  inbox: Inbox,
  { columns = 80, rows = 24 }: Size,
): Readonly<Record<'from' | 'to' | 'all', number>> {
  const item = chosenIn(inbox) ?? {}
  const { room } = layoutOf(inbox, { columns, rows })
  const lines = packetLines(item, frameOf(columns, 0))
  const all = lines.length
  if (inbox.whole !== undefined) {
    const from = Math.min(inbox.whole, Math.max(0, all - room))
    return { from, to: Math.min(all, from + room), all }
  }
  const folded = packetLines(item, frameOf(columns, undefined))
  const isWhole = folded.length === all && folded.every((line, at) => isSame(line, lines[at]))
  return { from: 0, to: isWhole ? Math.min(all, room) : 0, all }
}

/** The digest is longer where everything is shown. */
const isSame = ({ text, tone }: PacketLine, other: PacketLine | undefined): boolean =>
  other !== undefined && (text === other.text || (tone === 'quiet' && other.text.startsWith(text)))

const frameOf = (columns: number, whole: number | undefined) => ({
  width: columns - 4,
  most: whole === undefined ? FOLDED : Number.MAX_SAFE_INTEGER,
  more: ', press v to show all',
  reveal: 'press r to show redacted text; this is recorded in the audit',
})

function titleOf({ items, selected, isLoading }: Inbox): string {
  if (isLoading === true) return 'loading…'
  if (items.length === 0) return 'no pending requests'
  return selected < 0
    ? `${items.length} pending, none selected: press ↓ for the first`
    : `${selected + 1} of ${items.length} pending`
}

/** The rows around the selected one, so that the list stays short however many requests wait. */
function windowOf({ items, selected }: Inbox, most: number): { row: PrintedFields; index: number }[] {
  const from = Math.max(0, Math.min(selected - Math.floor(most / 2), items.length - most))
  return items.slice(from, from + most).map((row, offset) => ({ row, index: from + offset }))
}

function rowView(item: PrintedFields, chosen: boolean, now: number): ReactElement {
  const left = typeof item['expires_at'] === 'number' ? item['expires_at'] - now : 0
  const asker = nameOf(fieldsOf(item['asked_by'])['id'])
  const id = `…${idOf(item).slice(-4)}`
  const words = [id, nameOf(item['skill_id']), summaryOf(item), `for ${asker}`, textOf(item['strength']), leftOf(left)]
  return h(
    Text,
    { key: idOf(item), inverse: chosen, wrap: 'truncate-end' },
    `${chosen ? '❯' : ' '} ${words.join('  ')}`,
  )
}

const SUMMARY = 40

/** The arguments in a few words, so that two requests for one tool do not look the same. */
const summaryOf = (item: PrintedFields): string =>
  shortened(countedSpaces(visibleText(textOf(item['proposed_args']))).replaceAll(/^\{|\}$/g, ''), SUMMARY)

function leftOf(ms: number): string {
  if (ms <= 0) return 'expired'
  const seconds = Math.floor(ms / 1000)
  if (seconds < 120) return `${seconds} s left`
  return seconds < 7200 ? `${Math.floor(seconds / 60)} min left` : `${Math.floor(seconds / 3600)} h left`
}

type Details = { readonly columns: number; readonly room: number; readonly whole: number | undefined }

/** The packet in the lines that are available. The hidden lines are counted; `v` shows them. */
function detailsView(item: PrintedFields, { columns, room, whole }: Details): ReactElement {
  const lines = packetLines(item, frameOf(columns, whole))
  const from = whole === undefined ? 0 : Math.min(whole, Math.max(0, lines.length - room))
  const shown = lines.slice(from, from + room)
  const rest = lines.length - from - shown.length
  return h(
    Box,
    { key: 'details', flexDirection: 'column', borderStyle: 'round', paddingX: 1 },
    h(Text, { bold: true, wrap: 'truncate-end' }, headOf(item)),
    ...shown.map((line, index) => lineView(line, index)),
    ...(rest > 0 ? [h(Text, { key: 'rest', dimColor: true }, `… ${count(rest, 'more line')}${moreOf(whole)}`)] : []),
  )
}

const moreOf = (whole: number | undefined) => (whole === undefined ? ', press v to show all' : ', press ↓')
const headOf = (item: PrintedFields) =>
  `${idOf(item)}  ${shortened(visibleText(textOf(item['title'] ?? item['skill_id'])), 60)}`

const COLOURS = { good: 'green', held: 'yellow', bad: 'red' } as const

function lineView({ text, tone }: PacketLine, index: number): ReactElement {
  const colour = tone === undefined || tone === 'head' || tone === 'quiet' ? {} : { color: COLOURS[tone] }
  return h(Text, { key: `line ${index}`, wrap: 'truncate-end', dimColor: tone === 'quiet', ...colour }, text)
}

const TYPED = 60
const ASKS = {
  reason: 'reason for denying it:',
  args: 'arguments:',
  bounds: 'approve, and also allow the same call in future, for:',
  passphrase: 'passphrase:',
} as const

function typingView({ for: what, text, at }: Typing, item: PrintedFields): ReactElement {
  const asks = what === 'typed' ? `to approve, ${typingWords(item)} ›` : ASKS[what]
  const all = what === 'passphrase' ? '•'.repeat(text.length) : text
  // Only the part around the cursor, so that a long text does not push the request off the screen.
  const from = Math.max(0, at - TYPED)
  const shown = all.slice(from, at + TYPED)
  const cursor = at - from
  return h(
    Text,
    { key: 'typing' },
    h(Text, { bold: true }, `${asks} `),
    `${from > 0 ? '…' : ''}${visibleText(shown.slice(0, cursor))}`,
    h(Text, { inverse: true }, visibleText(shown[cursor] ?? ' ')),
    `${visibleText(shown.slice(cursor + 1))}${at + TYPED < all.length ? '…' : ''}`,
    h(Text, { dimColor: true }, '   Enter to confirm, Esc to go back'),
  )
}
