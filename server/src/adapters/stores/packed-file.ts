/** A file stored inside a backup. `path` is relative, with `/`. */
export type PackedFile = { readonly path: string; readonly mode: number; readonly bytes: Uint8Array }
