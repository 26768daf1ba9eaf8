import { isStrong } from '../../adapters/cli/confirm.ts'
import { boundsOf } from '../../adapters/cli/consent-words.ts'
import { jsonFault } from '../../adapters/cli/json-argument.ts'
import { fieldsOf, textOf, type PrintedFields } from '../../adapters/cli/print.ts'

/** What is being typed, and what it is for. */
export type Typing = {
  readonly for: 'reason' | 'args' | 'bounds' | 'typed' | 'passphrase'
  readonly text: string
  readonly at: number
  /** For an approval that needs more: what was given so far. */
  readonly given?: Given
}

/** `typed`: what the request is about. `remember`: grant a consent for the same call, within these bounds. */
export type Given = { readonly typed?: string; readonly passphrase?: string; readonly remember?: object }

/** The state of the terminal inbox between two key presses. */
export type Inbox = {
  /** Until the gate has answered for the first time. */
  readonly isLoading?: boolean
  readonly items: readonly PrintedFields[]
  /** -1 if nothing is selected. When the selected request disappears, no other is selected, so that a late key press does not decide its neighbour. */
  readonly selected: number
  readonly typing?: Typing
  /** If the whole packet is shown: its first visible line. */
  readonly whole?: number
  /** The revealed text of one packet, after the person asked for it. */
  readonly revealed?: PrintedFields
  /** A request that changed while it was shown: the next key press does not decide it. */
  readonly changed?: string
  /** The last thing that happened, in a sentence. */
  readonly says?: string
  /** Whether there is an editor for arguments. Without one they are edited on the input line. */
  readonly hasEditor?: boolean
}

export type Key =
  | { readonly is: 'up' | 'down' | 'page_up' | 'page_down' | 'left' | 'right' | 'enter' | 'escape' | 'erase' }
  | { readonly is: 'text'; readonly text: string }

/** What the person wants to be done outside the inbox. */
export type InboxAction =
  | { readonly do: 'quit' }
  | { readonly do: 'reveal'; readonly id: string }
  | ({ readonly do: 'approve'; readonly id: string; readonly digest: string } & Given)
  /** In the person's own editor. */
  | { readonly do: 'open_editor'; readonly id: string; readonly digest: string; readonly args: string }
  | { readonly do: 'deny'; readonly id: string; readonly reason: string }
  | { readonly do: 'edit'; readonly id: string; readonly digest: string; readonly args: string }

export type Stepped = { readonly inbox: Inbox; readonly action?: InboxAction }

export const emptyInbox: Inbox = { isLoading: true, items: [], selected: 0 }
export const idOf = (item: PrintedFields): string => textOf(item['approval_id'])
const digestOf = (item: PrintedFields): string => textOf(item['digest'])

/** The selected request as it is shown, with the revealed text of this version. */
export function chosenIn({ items, selected, revealed }: Inbox): PrintedFields | undefined {
  const item = items[selected]
  if (item === undefined || revealed === undefined || digestOf(revealed) !== digestOf(item)) return item
  return { ...item, ...revealed, hidden: [] }
}

/** Replaces the list. The selection is kept if the request is still there; text being typed belongs to that request only. */
export function refreshed({ isLoading: _, ...inbox }: Inbox, items: readonly PrintedFields[]): Inbox {
  const chosen = inbox.items[inbox.selected]
  const index = chosen === undefined ? -1 : items.findIndex((item) => idOf(item) === idOf(chosen))
  const now = items[index]
  if (chosen !== undefined && now !== undefined) {
    const same = digestOf(now) === digestOf(chosen)
    return { ...inbox, items, selected: index, ...(same ? {} : { changed: idOf(now), says: CHANGED }) }
  }
  const { typing, whole: __, revealed: ___, changed: ____, ...rest } = inbox
  const says = typing === undefined ? {} : { says: 'this request was decided by someone else in the meantime' }
  return { ...rest, ...says, items, selected: inbox.items.length === 0 ? 0 : -1 }
}

/** Selects this request, if it is in the list. */
export function choosing(inbox: Inbox, id: string): Inbox {
  const index = inbox.items.findIndex((item) => idOf(item) === id)
  return index === -1 ? inbox : { ...inbox, selected: index }
}

const CHANGED = 'this request changed while you were reading it: read it again, then press the key again'
const SCROLLED = 5
/** How many steps at once. */
const PAGE = 5

export function pressed(inbox: Inbox, key: Key): Stepped {
  if (inbox.typing !== undefined) return typed(inbox, inbox.typing, key)
  const letter = key.is === 'text' ? key.text.toLowerCase() : key.is
  switch (letter) {
    case 'up':
    case 'k':
      return { inbox: moved(inbox, -1) }
    case 'down':
    case 'j':
      return { inbox: moved(inbox, 1) }
    case 'page_up':
      return { inbox: moved(inbox, -1, PAGE) }
    case 'page_down':
      return { inbox: moved(inbox, 1, PAGE) }
    case 'v':
    case 'escape':
      return { inbox: inbox.whole === undefined && letter === 'v' ? { ...inbox, whole: 0 } : folded(inbox) }
    case 'q':
      return { inbox, action: { do: 'quit' } }
    default:
      return decided(inbox, letter)
  }
}

/** Moves to another request or, in the full view, to another part of it. */
function moved(inbox: Inbox, step: 1 | -1, by = 1): Inbox {
  if (inbox.whole !== undefined) return { ...inbox, whole: Math.max(0, inbox.whole + step * by * SCROLLED) }
  const { revealed: _, changed: __, says: ___, ...rest } = inbox
  const last = Math.max(0, inbox.items.length - 1)
  return { ...rest, selected: Math.min(last, Math.max(0, inbox.selected + step * by)) }
}

function folded({ whole: _, ...rest }: Inbox): Inbox {
  return rest
}

function decided(inbox: Inbox, letter: string): Stepped {
  const item = chosenIn(inbox)
  if (item === undefined || !DECIDING.includes(letter)) return { inbox }
  if (inbox.changed !== undefined) {
    const { changed: _, ...seen } = inbox
    return { inbox: { ...seen, says: CHANGED } }
  }
  const named = { id: idOf(item), digest: digestOf(item) }
  if (letter === 'a') return approving(inbox, item, {})
  if (letter === 'r') return { inbox, action: { do: 'reveal', id: named.id } }
  if (letter === 'd') return { inbox: type(inbox, 'reason', '') }
  if (letter === 'w') return { inbox: type(inbox, 'bounds', USUAL_BOUNDS) }
  if (inbox.hasEditor === true)
    return { inbox, action: { do: 'open_editor', ...named, args: textOf(item['proposed_args']) } }
  return { inbox: type(inbox, 'args', textOf(item['proposed_args'])) }
}

const DECIDING: readonly string[] = ['a', 'd', 'e', 'r', 'w']
/** The default bounds for "always allow". */
const USUAL_BOUNDS = '10 calls for 1h'

const type = (inbox: Inbox, what: Typing['for'], text: string): Inbox => ({
  ...inbox,
  typing: { for: what, text, at: text.length },
})

/** Approves, after asking what the request is about if it is more than simple. */
function approving(inbox: Inbox, item: PrintedFields, given: Given): Stepped {
  if (isStrong(item) && given.typed === undefined)
    return { inbox: { ...inbox, typing: { for: 'typed', text: '', at: 0, given } } }
  return { inbox: withoutTyping(inbox), action: { do: 'approve', id: idOf(item), digest: digestOf(item), ...given } }
}

/** Asks the approver for their passphrase and retries the same approval with it. */
export const askPassphrase = (inbox: Inbox, given: Given): Inbox => ({
  ...inbox,
  typing: { for: 'passphrase', text: '', at: 0, given },
})

function typed(inbox: Inbox, typing: Typing, key: Key): Stepped {
  const { text, at } = typing
  const to = (next: Partial<Typing>): Stepped => ({ inbox: { ...inbox, typing: { ...typing, ...next } } })
  switch (key.is) {
    case 'text':
      return to({ text: `${text.slice(0, at)}${key.text}${text.slice(at)}`, at: at + key.text.length })
    case 'erase':
      return at === 0 ? { inbox } : to({ text: `${text.slice(0, at - 1)}${text.slice(at)}`, at: at - 1 })
    case 'left':
      return to({ at: Math.max(0, at - 1) })
    case 'right':
      return to({ at: Math.min(text.length, at + 1) })
    case 'escape': {
      const { says: _, ...rest } = withoutTyping(inbox)
      return { inbox: rest }
    }
    case 'enter':
      return sent(inbox, typing)
    default:
      return { inbox }
  }
}

function sent(inbox: Inbox, typing: Typing): Stepped {
  const { for: what, text, given = {} } = typing
  const item = fieldsOf(inbox.items[inbox.selected])
  if (inbox.changed !== undefined && what !== 'reason') {
    // What was typed was meant for what was read.
    const { changed: _, ...seen } = withoutTyping(inbox)
    return { inbox: { ...seen, says: CHANGED } }
  }
  const named = { id: idOf(item), digest: digestOf(item) }
  if (what === 'reason') return { inbox: withoutTyping(inbox), action: { do: 'deny', id: named.id, reason: text } }
  if (what === 'typed') {
    if (text.trim() === '')
      return { inbox: { ...withoutTyping(inbox), says: 'nothing was typed, so nothing was approved' } }
    return approving(inbox, item, { ...given, typed: text })
  }
  if (what === 'passphrase') return approving(inbox, item, { ...given, passphrase: text })
  if (what === 'bounds') {
    const remember = boundsOf(text)
    if (remember === undefined) return { inbox: { ...inbox, says: "write it like '10 calls for 2h'" } }
    return approving(inbox, item, { remember })
  }
  // Text that is not JSON stays on the input line, with the cursor at the mistake.
  const fault = jsonFault(text)
  if (fault !== undefined)
    return { inbox: { ...inbox, says: `not JSON at the cursor: ${fault.says}`, typing: { ...typing, at: fault.at } } }
  return { inbox: withoutTyping(inbox), action: { do: 'edit', ...named, args: text } }
}

function withoutTyping({ typing: _, ...rest }: Inbox): Inbox {
  return rest
}
