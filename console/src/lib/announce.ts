import { storeOf } from './store.ts'

/** What the one polite live region says. */
export const announced = storeOf('')

export function announce(words: string): void {
  // The same words twice are announced twice.
  announced.set(announced.get() === words ? `${words}\u00a0` : words)
}

export type Toast = { readonly says: string; readonly href?: string; readonly link?: string; readonly at: number }

/** Something that is done and needs no answer. Refusals are never toasts. */
export const toast = storeOf<Toast | undefined>(undefined)

export function say(says: string, link?: { readonly href: string; readonly words: string }): void {
  toast.set({ says, at: Date.now(), ...(link === undefined ? {} : { href: link.href, link: link.words }) })
  announce(says)
}
