/** Texts with the same beginning get adjacent keys, so that the rows of one thread are adjacent in an index. */
const NEAR = 40

/**
 * A number for a text, for indexes of long texts. Different texts may share one, so a reader that finds a row by its key compares
 * the text too.
 * INVARIANT: stored in indexes, so it never changes (pinned in text-key.test.ts).
 */
export function textKey(text: string): number {
  let hash = 0x811c9dc5
  let near = hash
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
    if (at < NEAR) near = hash
  }
  return (spread(near) >>> 12) * 2 ** 32 + spread(hash)
}

/** Every bit of the result depends on every bit of the hash. */
function spread(hash: number): number {
  const half = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  const whole = Math.imul(half ^ (half >>> 13), 0xc2b2ae35)
  return (whole ^ (whole >>> 16)) >>> 0
}
