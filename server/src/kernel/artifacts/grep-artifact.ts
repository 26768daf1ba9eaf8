import type { Caller } from '../contract/caller.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import { linearRegExp } from '../json/linear-regexp.ts'
import { BRIEF_STEPS, MAX_STEPS } from '../json/schema-steps.ts'
import type { Clock } from '../ports/runtime.ts'
import type { Reader } from '../sessions/enter-session.ts'
import { labelArtifact } from './label-artifact.ts'
import { artifactPart, type ArtifactPorts, type ReadArtifactPorts } from './read-artifact.ts'

export type SearchTextPorts = ArtifactPorts & {
  readonly clock: Clock
  readonly after: (ms: number, callback: () => void) => () => void
}
export type GrepPorts = SearchTextPorts & ReadArtifactPorts

export type ArtifactQuery = {
  readonly pattern: string
  /** A regular expression instead of plain text. */
  readonly regexp: boolean
  /** Lines to show before and after each hit. */
  readonly around: number
  readonly limit: number
}

/** `line` counts from 1; `from` is the offset of the line, for a read. */
export type ArtifactHit = { readonly line: number; readonly from: number; readonly text: string }
export type ArtifactHits = {
  readonly hits: readonly ArtifactHit[]
  readonly size: number
  /** False if there were more hits than requested, or the search was too much work, as a whole or on one line. */
  readonly complete: boolean
}

const MOST_CHARACTERS = 16 * 1_048_576
const LONGEST_LINE = 400
const LONGEST_PATTERN = 1_000
/** The clock is checked after this many characters, and the event loop may run after this many milliseconds. */
const CHARS_PER_LOOK = 16_384
const MS_PER_TURN = 10
/** About two seconds of work. Counted and not timed: on a busy machine the same search gives the same answer. */
const MOST_STEPS = 2 * MAX_STEPS

/** The lines of an evicted output that contain a text or match a regular expression, for a session. */
export async function grepArtifact(
  deps: GrepPorts,
  reader: Reader,
  digest: string,
  query: ArtifactQuery,
): Promise<Result<ArtifactHits>> {
  const found = await linesWith(deps, reader.caller, digest, query)
  if (!found.ok || found.value.hits.length === 0) return found
  const labelled = await labelArtifact(deps, reader, digest)
  return labelled.ok ? found : labelled
}

/** Bounded in time, hits and length. */
export async function linesWith(
  deps: SearchTextPorts,
  caller: Caller,
  digest: string,
  query: ArtifactQuery,
): Promise<Result<ArtifactHits>> {
  const fits = matcherOf(query)
  if (!fits.ok) return fits
  const read = await artifactPart(deps, caller, digest, 0, MOST_CHARACTERS)
  if (!read.ok) return read
  const { text, size } = read.value
  const hits: ArtifactHit[] = []
  let turn = deps.clock()
  let looked = 0
  let steps = 0
  let isWhole = size <= MOST_CHARACTERS
  // Scans lines in place: sixteen million empty lines are one string, not sixteen million.
  for (let line = 1, from = 0; from <= text.length; line++) {
    if (hits.length >= query.limit) return ok({ hits, size, complete: false })
    const end = endOfLine(text, from)
    const isHit = fits.value.test(text.slice(from, end))
    steps += fits.value.steps()
    if (isHit === 'takes_long') isWhole = false
    else if (isHit) hits.push({ line, from, text: shown(text, from, end, query) })
    looked += Math.min(end - from, LONGEST_LINE * 10) + 16
    from = end + 1
    if (looked < CHARS_PER_LOOK) continue
    looked = 0
    if (steps > MOST_STEPS) return ok({ hits, size, complete: false })
    if (deps.clock() - turn < MS_PER_TURN) continue
    await new Promise<void>((go) => void deps.after(0, go))
    turn = deps.clock()
  }
  return ok({ hits, size, complete: isWhole })
}

type Matcher = {
  test(line: string): boolean | 'takes_long'
  /** What the last test cost. */
  steps(): number
}

function matcherOf({ pattern, regexp }: ArtifactQuery): Result<Matcher> {
  if (pattern === '' || pattern.length > LONGEST_PATTERN)
    return refuse('request.invalid', { paths: `pattern: 1 to ${LONGEST_PATTERN} characters` })
  if (!regexp) return ok({ test: (line) => line.includes(pattern), steps: () => 1 })
  try {
    const meter = { steps: 0, most: BRIEF_STEPS }
    const { test } = linearRegExp(pattern, meter)
    return ok({
      test: (line) => {
        meter.steps = 0
        return isMatch(test, line)
      },
      steps: () => meter.steps,
    })
  } catch {
    return refuse('request.invalid', {
      paths: 'pattern: not a regular expression, or it uses back references or lookbehind',
    })
  }
}

function isMatch(test: (text: string) => boolean, line: string): ReturnType<Matcher['test']> {
  try {
    return test(line.slice(0, LONGEST_LINE * 10))
  } catch {
    return 'takes_long'
  }
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end === -1 ? text.length : end
}

function shown(text: string, from: number, end: number, { around, pattern, regexp }: ArtifactQuery): string {
  let first = from
  for (let count = 0; count < around && first > 0; count++)
    first = first < 2 ? 0 : text.lastIndexOf('\n', first - 2) + 1
  let last = end
  for (let count = 0; count < around && last < text.length; count++) last = endOfLine(text, last + 1)
  const clipped = (line: string, at: number) =>
    line.length <= LONGEST_LINE ? line : line.slice(Math.max(0, at - LONGEST_LINE / 2), at + LONGEST_LINE / 2)
  return text
    .slice(first, last)
    .split('\n')
    .map((line) => clipped(line, regexp ? 0 : Math.max(0, line.indexOf(pattern))))
    .join('\n')
}
