import type { Caller } from '../../contract/caller.ts'
import { ok, refuse, type Result } from '../../contract/problems.ts'
import { linearRegExp } from '../../core/json/linear-regexp.ts'
import type { Artifacts, Clock } from '../ports.ts'
import { readArtifact } from './read-artifact.ts'

export type GrepDeps = {
  readonly artifacts: Artifacts
  readonly clock: Clock
  readonly after: (ms: number, callback: () => void) => () => void
}

export type ArtifactQuery = {
  readonly pattern: string
  /** A regular expression instead of plain text. */
  readonly regexp: boolean
  /** Lines to show before and after each hit. */
  readonly around: number
  readonly limit: number
}

/** `line` counts from 1; `from` is where the line begins, for a read. */
export type ArtifactHit = { readonly line: number; readonly from: number; readonly text: string }
export type ArtifactHits = {
  readonly hits: readonly ArtifactHit[]
  readonly size: number
  /** False when there were more hits than wanted, or the search took too long. */
  readonly complete: boolean
}

const MOST_CHARACTERS = 16 * 1_048_576
const LONGEST_LINE = 400
const LONGEST_PATTERN = 1_000
/** Others go on with their work after so many lines. */
const LINES_PER_TURN = 500
const MOST_MS = 2_000

/** The lines of an evicted output in which a text or a regular expression occurs. Bounded in time, hits and length. */
export async function grepArtifact(
  deps: GrepDeps,
  caller: Caller,
  digest: string,
  query: ArtifactQuery,
): Promise<Result<ArtifactHits>> {
  const fits = matcherOf(query)
  if (!fits.ok) return fits
  const read = await readArtifact(deps, caller, digest, 0, MOST_CHARACTERS)
  if (!read.ok) return read
  const { text, size } = read.value
  const lines = text.split('\n')
  const hits: ArtifactHit[] = []
  const until = deps.clock() + MOST_MS
  let from = 0
  for (const [index, line] of lines.entries()) {
    if (index % LINES_PER_TURN === LINES_PER_TURN - 1) await new Promise<void>((go) => void deps.after(0, go))
    if (hits.length >= query.limit || deps.clock() > until) return ok({ hits, size, complete: false })
    if (fits.value(line)) hits.push({ line: index + 1, from, text: shown(lines, index, query) })
    from += line.length + 1
  }
  return ok({ hits, size, complete: size <= MOST_CHARACTERS })
}

function matcherOf({ pattern, regexp }: ArtifactQuery): Result<(line: string) => boolean> {
  if (pattern === '' || pattern.length > LONGEST_PATTERN)
    return refuse('request.invalid', { paths: `pattern: 1 to ${LONGEST_PATTERN} characters` })
  if (!regexp) return ok((line) => line.includes(pattern))
  try {
    const { test } = linearRegExp(pattern)
    return ok((line) => isMatch(test, line))
  } catch {
    return refuse('request.invalid', { paths: 'pattern: not a regular expression, or one that looks back' })
  }
}

/** A line that would take too long is one that does not match. */
function isMatch(test: (text: string) => boolean, line: string): boolean {
  try {
    return test(line.slice(0, LONGEST_LINE * 10))
  } catch {
    return false
  }
}

function shown(lines: readonly string[], index: number, { around, pattern, regexp }: ArtifactQuery): string {
  const clipped = (line: string, at: number) =>
    line.length <= LONGEST_LINE ? line : line.slice(Math.max(0, at - LONGEST_LINE / 2), at + LONGEST_LINE / 2)
  return lines
    .slice(Math.max(0, index - around), index + around + 1)
    .map((line) => clipped(line, regexp ? 0 : Math.max(0, line.indexOf(pattern))))
    .join('\n')
}
