/** Turns texts into vectors of length 1, all of one size. Undefined if it cannot: it never throws. */
export interface Embedder {
  embed(texts: readonly string[]): Promise<readonly Float32Array[] | undefined>
}

/** A cache of vectors by definition hash; entries may be dropped. */
export interface Vectors {
  get(hash: string): Float32Array | undefined
  put(entries: readonly { readonly hash: string; readonly vector: Float32Array }[]): Promise<void>
}
