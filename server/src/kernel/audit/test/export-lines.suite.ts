import canonicalize from 'canonicalize'
import type { CheckpointKeys } from '../../ports/audit.ts'
import type { AuditEntry, Checkpoint } from '../../contract/audit.ts'
import { GENESIS } from '../../contract/genesis.ts'
import { exportEndText, exportLink, type ExportEnd } from '../export-audit.ts'
import { rehashed } from './histories.suite.ts'
import { digest } from './memory-audit.suite.ts'

/** A parsed line of an export. */
export type Line = {
  kind: string
  entry?: AuditEntry
  checkpoint?: Checkpoint
  public_key?: string
  [field: string]: unknown
}

const lineText = (line: object): string => canonicalize(line) ?? ''
export const lineTexts = (lines: readonly Line[]): string => lines.map((line) => `${lineText(line)}\n`).join('')

/** The lines with a last line that belongs to them: signed with `keys`, or else with the signature that it had. */
export function sealed(lines: readonly Line[], keys?: Pick<CheckpointKeys, 'sign'>): Line[] {
  const last = lines.findIndex(({ kind }) => kind === 'end')
  const { key: _, signature: __, ...end } = lines[last] ?? { kind: '' }
  if (last === -1) return [...lines]
  const digestOfLines = lines
    .slice(0, last)
    .reduce((before, line) => exportLink(before, lineText(line), digest), GENESIS)
  const body = { ...end, digest: digestOfLines }
  const signature = keys?.sign(exportEndText(body as unknown as ExportEnd)) ?? {}
  return lines.with(last, { ...lines[last], ...body, ...signature, kind: 'end' })
}

/** What somebody without the key can write instead of the signed last line. */
export function unsignedEnd(lines: readonly Line[]): Line {
  const { key: _, signature: __, ...end } = lines.at(-1) ?? { kind: '' }
  return { ...end, unsigned: 'audit.unavailable' }
}

/** All entries from this one on say something else, hashed again, and the last line agrees with them. */
export function rewrittenFrom(lines: readonly Line[], from = 0): Line[] {
  const heads = new Map<string, AuditEntry>()
  const rewritten = lines.map((line, at) => {
    if (line.entry === undefined) return line
    const before = heads.get(line.entry.stream)
    const linked = before === undefined ? {} : { prev_hash: before.hash }
    const entry = at < from ? line.entry : rehashed(line.entry, { actor: 'user:somebody', ...linked })
    heads.set(entry.stream, entry)
    return { ...line, entry }
  })
  const checkpoints = lines.filter(({ kind }) => kind === 'checkpoint').length
  const ends = [...heads.values()].map(({ stream, seq, hash }) => ({ stream, seq, hash }))
  return rewritten.map((line) => (line.kind === 'end' ? { ...line, checkpoints, heads: ends } : line))
}
