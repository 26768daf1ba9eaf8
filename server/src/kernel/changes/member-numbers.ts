/**
 * The last change that this node received from each node. Every node numbers the changes it publishes from 1, so the ids of one node's
 * stream can be used on another: an id contains the last number that its node received from every node.
 */
export interface MemberNumbers {
  /** A node published its change with this number. */
  receive(node: string, number: number): void
  /** A node said how many changes it has published so far. */
  receiveCount(node: string, number: number): void
  /** A change is no longer remembered. */
  forget(node: string, number: number): void
  /** Changes may have been missed, until their node says how many it has published. */
  missed(now: number, own: string): void
  /** The last number received from every node, as a part of an id. */
  text(now: number): string
  /** Parses such a part of an id; undefined if it is not one. */
  read(text: string): ReceivedNumbers | undefined
  /** Whether everything after that is remembered here. */
  isWholeAfter(received: ReceivedNumbers): boolean
  /** Whether this node has received all of that itself. */
  covers(received: ReceivedNumbers): boolean
}

/** The last number received from each node, and when, by the clock of the reporting node. */
export type ReceivedNumbers = { readonly at: number; readonly numbers: ReadonlyMap<string, number> }

export const hasReceived = ({ numbers }: ReceivedNumbers, node: string, number: number): boolean =>
  number <= (numbers.get(node) ?? 0)

/** The larger number for each node. */
export function together(one: ReceivedNumbers, other: ReceivedNumbers): ReceivedNumbers {
  const numbers = new Map(one.numbers)
  for (const [node, number] of other.numbers) numbers.set(node, Math.max(number, numbers.get(node) ?? 0))
  return { at: one.at, numbers }
}

const partText = (node: string, last: number): string => `~${node}.${last.toString(36)}`

export const receivedText = ({ at, numbers }: ReceivedNumbers): string =>
  at.toString(36) + [...numbers].map(([node, last]) => partText(node, last)).join('')

/** Clocks of nodes differ by less than this. */
export const CLOCKS_MS = 5_000
const PART = /^([0-9a-z]{1,32})\.([0-9a-z]{1,10})$/
const MOST_NODES = 64

/** Changed in place, with every change that a node publishes. */
type Received = {
  last: number
  /** Numbers up to this one are not remembered. */
  lost: number
  /** Since then it is not known whether something was missed. */
  unsure_since?: number | undefined
}

export function memberNumbers(started_at: number): MemberNumbers {
  const nodes = new Map<string, Received>()
  /** The node whose change was received last: it is already at the end of the map. */
  let newest: string | undefined

  /** `isChange`: the change with this number is here; otherwise only the number is known. */
  function note(node: string, number: number, isChange: boolean): void {
    const known = nodes.get(node)
    const before = isChange ? number - 1 : number
    const lost = known !== undefined && before <= known.last ? known.lost : before
    const last = Math.max(known?.last ?? 0, number)
    if (known !== undefined && node === newest) {
      known.last = last
      known.lost = lost
      known.unsure_since = undefined
      return
    }
    nodes.delete(node)
    nodes.set(node, { last, lost })
    newest = node
    if (nodes.size <= MOST_NODES) return
    const [oldest] = nodes.keys()
    if (oldest !== undefined) nodes.delete(oldest)
  }

  /** Whether everything that this node published after the number is remembered here. */
  function isWhole(node: string, number: number, at: number): boolean {
    const known = nodes.get(node)
    // It has published nothing since this node started listening.
    if (known === undefined) return number === 0 || at > started_at + CLOCKS_MS
    if (known.lost > number) return false
    return number > known.last || known.unsure_since === undefined || at > known.unsure_since + CLOCKS_MS
  }

  return {
    receive: (node, number) => note(node, number, true),
    receiveCount: (node, number) => note(node, number, false),
    forget(node, number) {
      const known = nodes.get(node)
      if (known !== undefined && known.lost < number) known.lost = number
    },
    missed(now, own) {
      for (const [node, received] of nodes) if (node !== own) received.unsure_since = now
    },
    text(now) {
      let text = now.toString(36)
      for (const [node, { last }] of nodes) text += partText(node, last)
      return text
    },
    read(text) {
      const [time = '', ...parts] = text.split('~')
      const at = Number.parseInt(time, 36)
      const matched = parts.slice(0, MOST_NODES).map((part) => PART.exec(part))
      if (!/^[0-9a-z]{1,10}$/.test(time) || matched.includes(null)) return undefined
      return {
        at,
        numbers: new Map(matched.map((found) => [found?.[1] ?? '', Number.parseInt(found?.[2] ?? '0', 36)])),
      }
    },
    isWholeAfter: ({ at, numbers }) =>
      [...new Set([...numbers.keys(), ...nodes.keys()])].every((node) => isWhole(node, numbers.get(node) ?? 0, at)),
    covers: ({ numbers }) => [...numbers].every(([node, number]) => number <= (nodes.get(node)?.last ?? 0)),
  }
}
