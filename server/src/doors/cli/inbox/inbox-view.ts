import { Box, Text } from 'ink'
import { createElement as h, type ReactElement } from 'react'
import { visibleText } from '../../../contract/visible-text.ts'
import { evidenceOf, fieldsOf, textOf, type Fields } from '../print.ts'
import { idOf, type Inbox, type Typing } from './inbox.ts'

const LISTED = 8
const HELP = '↑↓ choose   a approve   d deny   e edit the inputs   q quit'

/** The inbox as a screen: what waits, the chosen request whole, and the line that is typed on. */
export function inboxView(inbox: Inbox, now: number): ReactElement {
  const item = inbox.items[inbox.selected]
  return h(
    Box,
    { flexDirection: 'column' },
    h(Text, { bold: true }, inbox.items.length === 0 ? 'nothing waits for a decision' : titleOf(inbox)),
    ...windowOf(inbox).map(({ row, index }) => rowView(row, index === inbox.selected, now)),
    ...(item === undefined ? [] : [detailsView(item)]),
    ...(inbox.says === undefined ? [] : [h(Text, { color: 'yellow', key: 'says' }, visibleText(inbox.says))]),
    inbox.typing === undefined ? h(Text, { dimColor: true }, HELP) : typingView(inbox.typing),
  )
}

const titleOf = ({ items, selected }: Inbox): string =>
  selected < 0 ? `${items.length} waiting, none chosen: ↓ for the first` : `${items.length} waiting`

/** The rows around the chosen one: the screen stays small however many wait. */
function windowOf({ items, selected }: Inbox): { row: Fields; index: number }[] {
  const from = Math.max(0, Math.min(selected - Math.floor(LISTED / 2), items.length - LISTED))
  return items.slice(from, from + LISTED).map((row, offset) => ({ row, index: from + offset }))
}

function rowView(item: Fields, chosen: boolean, now: number): ReactElement {
  const left = typeof item['expires_at'] === 'number' ? item['expires_at'] - now : 0
  const asker = textOf(fieldsOf(item['asked_by'])['id'])
  const words = [textOf(item['skill_id']), textOf(item['strength']), `for ${asker}`, leftOf(left)].join('  ')
  return h(
    Text,
    { key: idOf(item), inverse: chosen, wrap: 'truncate-end' },
    `${chosen ? '❯' : ' '} ${visibleText(words)}`,
  )
}

function leftOf(ms: number): string {
  if (ms <= 0) return 'expired'
  const seconds = Math.floor(ms / 1000)
  return seconds < 120 ? `${seconds} s left` : `${Math.floor(seconds / 60)} min left`
}

function detailsView(item: Fields): ReactElement {
  const preview = fieldsOf(item['preview'])['content']
  const shown = Array.isArray(preview) ? preview.map((block) => textOf(fieldsOf(block)['text'])).join('\n') : ''
  const lines = [
    ...argumentLines(textOf(item['proposed_args'])),
    ...(item['edited_from'] === undefined ? [] : [`before: ${textOf(item['edited_from'])}`]),
    ...evidenceOf(item),
    ...(shown === '' ? [] : [`preview: ${shown}`]),
    ...['rollback', 'check', 'verify'].map((part) => textOf(item[part])),
  ]
  return h(
    Box,
    { key: 'details', flexDirection: 'column', borderStyle: 'round', paddingX: 1 },
    h(Text, { bold: true }, `${visibleText(textOf(item['title'] ?? item['skill_id']))}  ${idOf(item)}`),
    ...lines.filter((line) => line !== '').map((line, index) => h(Text, { key: `line ${index}` }, visibleText(line))),
  )
}

/** One argument a line, as a person reads a form. */
function argumentLines(args: string): string[] {
  try {
    return Object.entries(fieldsOf(JSON.parse(args))).map(([name, value]) => `${name}: ${textOf(value)}`)
  } catch {
    return [args]
  }
}

const ASKS = { reason: 'why not?', args: 'arguments:', passphrase: 'passphrase:' } as const

function typingView({ for: what, text, at }: Typing): ReactElement {
  const shown = what === 'passphrase' ? '•'.repeat(text.length) : text
  return h(
    Text,
    { key: 'typing' },
    h(Text, { bold: true }, `${ASKS[what]} `),
    visibleText(shown.slice(0, at)),
    h(Text, { inverse: true }, visibleText(shown[at] ?? ' ')),
    visibleText(shown.slice(at + 1)),
    h(Text, { dimColor: true }, '   enter sends, escape goes back'),
  )
}
