import { useEffect, useRef } from 'react'
import { storeOf } from './store.ts'

/** By key (`a`, `?`, `P`, `Escape`) or by two in a row (`g i`). Return false to leave the key to the next binding. */
export type KeyBindings = Readonly<Record<string, () => void | false>>

const KEPT = 'sluice.single-keys'
const SEQUENCE_MS = 1_000

/** One switch for all single keys (WCAG 2.1.4). */
export const singleKeys = storeOf(readKept())

export function setSingleKeys(on: boolean): void {
  singleKeys.set(on)
  try {
    localStorage.setItem(KEPT, on ? 'on' : 'off')
  } catch {
    // Without storage, the setting is kept until the page is closed.
  }
}

function readKept(): boolean {
  try {
    return localStorage.getItem(KEPT) !== 'off'
  } catch {
    return true
  }
}

const stack: { current: KeyBindings }[] = []
let leader: { readonly key: string; readonly at: number } | undefined

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null
}

/** INVARIANT: a key that is held down acts once, and no key acts while somebody types or holds a modifier. */
function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.repeat || event.isComposing) return
  if (event.ctrlKey || event.metaKey || event.altKey) return
  if (document.querySelector('dialog[open]') !== null) return
  const isEscape = event.key === 'Escape'
  if (!isEscape && (isTyping(event.target) || !singleKeys.get())) return
  const now = Date.now()
  const pair = leader !== undefined && now - leader.at < SEQUENCE_MS ? `${leader.key} ${event.key}` : undefined
  leader = undefined
  for (const name of pair === undefined ? [event.key] : [pair]) {
    for (const bindings of stack.toReversed()) {
      const act = bindings.current[name]
      if (act === undefined || act() === false) continue
      event.preventDefault()
      return
    }
  }
  if (stack.some(({ current }) => Object.keys(current).some((name) => name.startsWith(`${event.key} `))))
    leader = { key: event.key, at: now }
}

/** The bindings of the part that was shown last come first. */
export function useKeys(bindings: KeyBindings): void {
  const ref = useRef(bindings)
  ref.current = bindings
  useEffect(() => {
    if (stack.length === 0) window.addEventListener('keydown', onKeyDown)
    stack.push(ref)
    return () => {
      stack.splice(stack.indexOf(ref), 1)
      if (stack.length === 0) window.removeEventListener('keydown', onKeyDown)
    }
  }, [])
}
