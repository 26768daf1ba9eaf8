import { splitText } from './split-text.ts'

/** 2: the name or id letter for letter; 1: the same words, however they are joined and cased. */
export type Exactness = 1 | 2

export type Called = { readonly id: string; readonly name: string }

export type ExactNames = {
  add(tool: Called, doc: number): void
  remove(tool: Called, doc: number): void
  find(query: string): ReadonlyMap<number, Exactness>
}

const MAX_NAME = 300
const verbatim = (text: string): string => `=${text.trim().slice(0, MAX_NAME)}`
const plain = (text: string): string =>
  splitText(text.slice(0, MAX_NAME))
    .filter((word) => !word.joined)
    .map((word) => word.text)
    .join(' ')

/** Whoever types a tool's name means that tool, whatever its words score elsewhere. */
export function createExactNames(): ExactNames {
  const byKey = new Map<string, Set<number>>()
  const keysOf = ({ name, id }: Called): Set<string> =>
    new Set([verbatim(name), verbatim(id), plain(name), plain(id)].filter((key) => key !== '' && key !== '='))

  return {
    add(tool, doc) {
      for (const key of keysOf(tool)) byKey.set(key, (byKey.get(key) ?? new Set()).add(doc))
    },
    remove(tool, doc) {
      for (const key of keysOf(tool)) {
        const docs = byKey.get(key)
        docs?.delete(doc)
        if (docs?.size === 0) byKey.delete(key)
      }
    },
    find(query) {
      const found = new Map<number, Exactness>()
      if (query.length > MAX_NAME) return found
      for (const doc of byKey.get(plain(query)) ?? []) found.set(doc, 1)
      for (const doc of byKey.get(verbatim(query)) ?? []) found.set(doc, 2)
      return found
    },
  }
}
