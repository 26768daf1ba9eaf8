/** Longer arguments are compared as they are: folding them would hold everybody else up. */
const LONGEST = 65_536

/**
 * Canonical arguments without the differences that nobody sees: white space, invisible characters, other forms of the same letter.
 * After a person's no, a call that differs in nothing else is the same call. Letter case is a difference that a person sees.
 */
export function foldArgs(canonical: string): string {
  if (canonical.length > LONGEST) return canonical
  return canonical
    .normalize('NFKC')
    .replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(/(?:[\s\p{Zs}]|\\[bfnrt]|\\u00[01][0-9a-f])+/gu, ' ')
    .replace(/(?<=") | (?=")/g, '')
}
