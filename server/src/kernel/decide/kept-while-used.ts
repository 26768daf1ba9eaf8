/**
 * A value that is made on first use and may be dropped again while nothing uses it. For tables of large patterns that are needed only
 * while tools are listed: V8 keeps up to 200 KB of machine code for one such pattern.
 */
export function keptWhileUsed<T extends object>(make: () => T): () => T {
  let kept: WeakRef<T> | undefined
  return () => {
    const known = kept?.deref()
    if (known !== undefined) return known
    const made = make()
    kept = new WeakRef(made)
    return made
  }
}
