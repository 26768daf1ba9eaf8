import { boundsOf } from '../consent-words.ts'
import { jsonFault } from '../json-argument.ts'
import { fieldsOf, textOf, type Fields } from '../print.ts'

/** What is being typed, and what it is for. */
export type Typing = {
  readonly for: 'reason' | 'args' | 'bounds' | 'passphrase'
  readonly text: string
  readonly at: number
  /** Of a passphrase: the permission that was to be given with the approval. */
  readonly remember?: object
}

/** The terminal inbox between two keys. */
export type Inbox = {
  readonly items: readonly Fields[]
  /** -1 when nothing is: a key pressed a moment too late must not decide the neighbour of what is gone. */
  readonly selected: number
  readonly typing?: Typing
  /** The whole packet is shown, from this line on. */
  readonly whole?: number
  /** What redaction hides of one packet, after the person asked for it. */
  readonly revealed?: Fields
  /** The request that became another one while it was shown: its next key is not taken for a decision. */
  readonly changed?: string
  /** The last thing that happened, in a sentence. */
  readonly says?: string
  /** There is an editor for arguments. Without one they are edited on a line. */
  readonly hasEditor?: boolean
}

export type Key =
  | { readonly is: 'up' | 'down' | 'page_up' | 'page_down' | 'left' | 'right' | 'enter' | 'escape' | 'erase' }
  | { readonly is: 'text'; readonly text: string }

/** What the person wants done; everything else stays inside the inbox. */
export type Wish =
  | { readonly do: 'quit' }
  | { readonly do: 'reveal'; readonly id: string }
  | {
      readonly do: 'approve'
      readonly id: string
      readonly digest: string
      readonly passphrase?: string
      /** Permit the same call ahead, within these bounds. */
      readonly remember?: object
    }
  /** In the person's own editor. */
  | { readonly do: 'open_editor'; readonly id: string; readonly digest: string; readonly args: string }
  | { readonly do: 'deny'; readonly id: string; readonly reason: string }
  | { readonly do: 'edit'; readonly id: string; readonly digest: string; readonly args: string }

export type Stepped = { readonly inbox: Inbox; readonly wish?: Wish }

export const emptyInbox: Inbox = { items: [], selected: 0 }
export const idOf = (item: Fields): string => textOf(item['approval_id'])
const digestOf = (item: Fields): string => textOf(item['digest'])

/** The chosen request as it is shown: with what was revealed of this very version. */
export function chosenIn({ items, selected, revealed }: Inbox): Fields | undefined {
  const item = items[selected]
  if (item === undefined || revealed === undefined || digestOf(revealed) !== digestOf(item)) return item
  return { ...item, ...revealed, hidden: [] }
}

/** A fresh list: what was selected stays selected while it is there, and what is being typed is for that one alone. */
export function refreshed(inbox: Inbox, items: readonly Fields[]): Inbox {
  const chosen = inbox.items[inbox.selected]
  const index = chosen === undefined ? -1 : items.findIndex((item) => idOf(item) === idOf(chosen))
  const now = items[index]
  if (chosen !== undefined && now !== undefined) {
    const same = digestOf(now) === digestOf(chosen)
    return { ...inbox, items, selected: index, ...(same ? {} : { changed: idOf(now), says: CHANGED }) }
  }
  const { typing, whole: _, revealed: __, changed: ___, ...rest } = inbox
  const says = typing === undefined ? {} : { says: 'this request was decided by someone else in the meantime' }
  return { ...rest, ...says, items, selected: inbox.items.length === 0 ? 0 : -1 }
}

/** The same inbox with this request chosen, if it is there. */
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
      return { inbox, wish: { do: 'quit' } }
    default:
      return decided(inbox, letter)
  }
}

/** Another request, or, where one is shown whole, another part of it. */
function moved(inbox: Inbox, step: 1 | -1, by = 1): Inbox {
  if (inbox.whole !== undefined) return { ...inbox, whole: Math.max(0, inbox.whole + step * by * SCROLLED) }
  const { revealed: _, changed: __, ...rest } = inbox
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
  if (letter === 'a') return { inbox, wish: { do: 'approve', ...named } }
  if (letter === 'r') return { inbox, wish: { do: 'reveal', id: named.id } }
  if (letter === 'd') return { inbox: type(inbox, 'reason', '') }
  if (letter === 'w') return { inbox: type(inbox, 'bounds', USUAL_BOUNDS) }
  if (inbox.hasEditor === true)
    return { inbox, wish: { do: 'open_editor', ...named, args: textOf(item['proposed_args']) } }
  return { inbox: type(inbox, 'args', textOf(item['proposed_args'])) }
}

const DECIDING: readonly string[] = ['a', 'd', 'e', 'r', 'w']
/** What is offered for "always allow": a permission has bounds. */
const USUAL_BOUNDS = '10 calls for 1h'

const type = (inbox: Inbox, what: Typing['for'], text: string): Inbox => ({
  ...inbox,
  typing: { for: what, text, at: text.length },
})

/** The approver is asked for their passphrase; the same approval is tried again with it. */
export function askPassphrase(inbox: Inbox, remember?: object): Inbox {
  const typing = { for: 'passphrase', text: '', at: 0, ...(remember === undefined ? {} : { remember }) } as const
  return { ...inbox, typing }
}

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
    case 'escape':
      return { inbox: withoutTyping(inbox) }
    case 'enter':
      return sent(inbox, typing)
    default:
      return { inbox }
  }
}

function sent(inbox: Inbox, typing: Typing): Stepped {
  const { for: what, text } = typing
  const item = fieldsOf(inbox.items[inbox.selected])
  const named = { id: idOf(item), digest: digestOf(item) }
  if (what === 'reason') return { inbox: withoutTyping(inbox), wish: { do: 'deny', id: named.id, reason: text } }
  if (what === 'passphrase') {
    const remember = typing.remember === undefined ? {} : { remember: typing.remember }
    return { inbox: withoutTyping(inbox), wish: { do: 'approve', ...named, passphrase: text, ...remember } }
  }
  if (what === 'bounds') {
    const remember = boundsOf(text)
    if (remember === undefined) return { inbox: { ...inbox, says: "write it like '10 calls for 2h'" } }
    return { inbox: withoutTyping(inbox), wish: { do: 'approve', ...named, remember } }
  }
  // What is not JSON stays on the line to be corrected, with the cursor at the mistake; nothing typed is lost.
  const fault = jsonFault(text)
  if (fault !== undefined)
    return { inbox: { ...inbox, says: `not JSON at the cursor: ${fault.says}`, typing: { ...typing, at: fault.at } } }
  return { inbox: withoutTyping(inbox), wish: { do: 'edit', ...named, args: text } }
}

function withoutTyping({ typing: _, ...rest }: Inbox): Inbox {
  return rest
}
