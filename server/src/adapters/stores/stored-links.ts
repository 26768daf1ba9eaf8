/** The start of an entry's link in its canonical text, and how much of the text is enough to compare it. */
export const LINK = '"prev_hash":"'
export const LINK_LENGTH = 120

/** `link`: the stored text from `LINK` on. */
export type StoredLink = { readonly seq: number; readonly hash: string; readonly link: string }

/**
 * The hashes of entries whose texts name the one before, up to the first that does not. If something else in a text looks like a
 * link and comes first, the list ends too early, never too late.
 */
export function hashesIn(found: readonly StoredLink[], from: number, head: string): readonly string[] {
  const hashes: string[] = []
  let before = head
  for (const { seq, hash, link } of found) {
    if (seq !== from + hashes.length || !link.startsWith(`${LINK}${before}","seq":${seq},`)) break
    hashes.push(hash)
    before = hash
  }
  return hashes
}
