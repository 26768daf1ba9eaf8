import { splitText } from './split-text.ts'

/** 2: the exact name or id; 1: the same words, however they are joined and cased. */
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

/** A query that is a tool's name means that tool, whatever its words score elsewhere. */
export function createExactNames(): ExactNames {
  /** Most names belong to one tool, and a list takes more memory than a number. */
  const byKey = new Map<string, number | readonly number[]>()
  const docsOf = (key: string): readonly number[] => [byKey.get(key) ?? []].flat()
  const keysOf = ({ name, id }: Called): Set<string> =>
    new Set([verbatim(name), verbatim(id), plain(name), plain(id)].filter((key) => key !== '' && key !== '='))

  return {
    add(tool, doc) {
      for (const key of keysOf(tool)) {
        const others = docsOf(key).filter((other) => other !== doc)
        byKey.set(key, others.length === 0 ? doc : [...others, doc])
      }
    },
    remove(tool, doc) {
      for (const key of keysOf(tool)) {
        const [first, ...more] = docsOf(key).filter((other) => other !== doc)
        if (first === undefined) byKey.delete(key)
        else byKey.set(key, more.length === 0 ? first : [first, ...more])
      }
    },
    find(query) {
      const found = new Map<number, Exactness>()
      if (query.length > MAX_NAME) return found
      for (const doc of docsOf(plain(query))) found.set(doc, 1)
      for (const doc of docsOf(verbatim(query))) found.set(doc, 2)
      return found
    },
  }
}
