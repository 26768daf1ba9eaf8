/** Printable ASCII without upper case letters. */
const FOLDED = /^[\x20-\x40\x5b-\x7e]*$/

/** The same for two names that differ only in letter case, in invisible characters, or in another encoding of the same letters. */
export function foldedName(name: string): string {
  if (FOLDED.test(name)) return name
  return name
    .normalize('NFKC')
    .replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKC')
}

export const isSameName = (one: string, other: string): boolean =>
  one === other || foldedName(one) === foldedName(other)
