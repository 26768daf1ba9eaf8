import { storeOf } from './store.ts'

/** What the one polite live region says. */
export const announced = storeOf('')

export function announce(words: string): void {
  // The same words twice are announced twice.
  announced.set(announced.get() === words ? `${words}\u00a0` : words)
}

export type Toast = {
  readonly says: string
  readonly href?: string
  readonly link?: string
  /** Calls whose outcome is said when it is known. */
  readonly calls?: readonly string[]
  readonly at: number
}

/** Something that is done and needs no answer. Refusals are never toasts. */
export const toast = storeOf<Toast | undefined>(undefined)

export function say(says: string, link?: { readonly href: string; readonly words: string }): void {
  toast.set({ says, at: Date.now(), ...(link === undefined ? {} : { href: link.href, link: link.words }) })
  announce(says)
}

/** Calls were approved: the toast also says what became of them, and leads there. */
export function sayApproved(says: string, calls: readonly string[]): void {
  const [first] = calls
  const href = calls.length === 1 && first !== undefined ? `#/activity/${first}` : '#/activity'
  toast.set({ says, calls, href, link: 'Outcome', at: Date.now() })
  announce(says)
}
