import { printCanonical } from '../json/print-canonical.ts'

export type ExportHead = { readonly stream: string; readonly seq: number; readonly hash: string }

/** The last line of an export, without its signature. `digest` covers all lines before it. */
export type ExportEnd = {
  readonly kind: 'end'
  readonly entries: number
  readonly checkpoints: number
  readonly heads: readonly ExportHead[]
  readonly digest: string
}

/** Prefix of everything that is signed, so that no other text of ours can be mistaken for the end of an export. */
const EXPORT_DOMAIN = 'sluice.export.v2\n'

export const exportEndText = (end: ExportEnd): string => `${EXPORT_DOMAIN}${printCanonical(end)}`

/** The digest of all lines up to this one: of the digest before it, which is the genesis hash at first, and its text. */
export const exportLink = (before: string, line: string, digest: (text: string) => string): string =>
  digest(`${before}\n${line}`)
