/** Longer arguments are compared unfolded, because folding them would block the event loop for too long. */
const LONGEST = 65_536

/**
 * Canonical arguments without invisible differences: white space, invisible characters, other encodings of the same letter. After
 * a rejection, a call that differs only in these is the same call. Letter case is a visible difference and is kept.
 */
export function foldArgs(canonical: string): string {
  if (canonical.length > LONGEST || isFolded(canonical)) return canonical
  return canonical
    .normalize('NFKC')
    .replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(/(?:[\s\p{Zs}]|\\[bfnrt]|\\u00[01][0-9a-f])+/gu, ' ')
    .replace(/(?<=") | (?=")/g, '')
}

/** Nothing to fold: plain ASCII without escapes, double spaces, or spaces beside a quotation mark. Most arguments are like that. */
const isFolded = (canonical: string): boolean => /^[\x20-\x7e]*$/.test(canonical) && !/\\| {2}|" | "/.test(canonical)
