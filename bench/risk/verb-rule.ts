import { splitWords } from '../../server/src/kernel/text/split-words.ts'

const DESTROYING = 'cancel clear delete destroy drop purge remove revoke truncate uninstall'.split(' ')
const WRITING =
  `add append approve assign change copy create deploy disable edit enable execute import insert install merge
  modify move patch post publish push put rename restart run save send set start stop submit trigger update upload upsert
  write`.split(/\s+/)

const hasAny = (name: string, verbs: readonly string[]): boolean =>
  splitWords(name).some((word) => verbs.includes(word))

/** The obvious rule: a tool writes if its name contains a writing verb. A baseline, not part of the product. */
export const verbRule = {
  writes: (name: string): boolean => hasAny(name, [...WRITING, ...DESTROYING]),
  destroys: (name: string): boolean => hasAny(name, DESTROYING),
}
