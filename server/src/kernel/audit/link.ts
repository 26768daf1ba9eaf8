/** The fields that link an entry to its chain. */
export type Link = {
  readonly stream: string
  readonly seq: number
  readonly prev_hash: string
  readonly hash: string
}

/** The link in a stored value; undefined if it cannot be read. */
export function linkOf(stored: unknown): Link | undefined {
  if (typeof stored !== 'object' || stored === null) return undefined
  const { stream, seq, prev_hash, hash } = stored as Readonly<Record<string, unknown>>
  if (typeof stream !== 'string' || typeof seq !== 'number') return undefined
  if (typeof prev_hash !== 'string' || typeof hash !== 'string') return undefined
  return { stream, seq, prev_hash, hash }
}
