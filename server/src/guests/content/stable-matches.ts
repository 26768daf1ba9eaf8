import { replaced } from './replace-matches.ts'
import type { TextMatch } from './rule.ts'
import type { RankedMatch } from './try-rule.ts'

/** Each round but the last finds something new; a text for which this is not enough was crafted. */
const MOST_ROUNDS = 4

/**
 * All findings in a text, located in the original. `found`: those of the first search. One finding may hide another: a token that directly follows a card number does
 * not start a word until the number is replaced, and a name gets closer to what follows a finding. So a search that found
 * something is repeated as if the findings were replaced, and new findings are located in the original too.
 */
export function stableMatches(
  text: string,
  found: readonly RankedMatch[],
  find: (text: string) => readonly RankedMatch[],
): TextMatch[] {
  if (found.length === 0) return []
  let spans = resolveOverlaps(found)
  for (let round = 1; round < MOST_ROUNDS && spans.length > 0; round++) {
    const more = revealed(text, spans, find)
    if (more.length === 0) break
    spans = resolveOverlaps([...spans, ...more])
  }
  return spans.map(({ type, rule, kind, start, end }) => ({ type, rule, kind, start, end }))
}

function revealed(
  text: string,
  spans: readonly RankedMatch[],
  find: (text: string) => readonly RankedMatch[],
): RankedMatch[] {
  const back = originalPlaces(spans)
  return find(replaced(text, spans))
    .map((span) => ({ ...span, start: back(span.start, 'start'), end: back(span.end, 'end') }))
    .filter((span) => {
      const known = spans[lastIndex(spans, (one) => one.start <= span.start)]
      return known === undefined || span.end > known.end
    })
}

/** Maps a position in the replaced text to the original; a position inside a replacement maps to the edge of what it replaced. */
function originalPlaces(spans: readonly RankedMatch[]): (place: number, edge: 'start' | 'end') => number {
  let shift = 0
  const marks = spans.map((span) => {
    const start = span.start + shift
    const end = start + `[REDACTED_${span.type}]`.length
    shift = end - span.end
    return { start, end, span }
  })
  return (place, edge) => {
    const last = marks[lastIndex(marks, (mark) => (edge === 'start' ? mark.start <= place : mark.start < place))]
    if (last === undefined) return place
    if (place >= last.end) return last.span.end + (place - last.end)
    return edge === 'start' ? last.span.start : last.span.end
  }
}

/** The last index for which a test holds, if it holds for a prefix of the list; -1 if there is none. */
function lastIndex<T>(list: readonly T[], holds: (item: T) => boolean): number {
  let low = -1
  let high = list.length
  while (high - low > 1) {
    const middle = (low + high) >> 1
    const item = list[middle]
    if (item !== undefined && holds(item)) low = middle
    else high = middle
  }
  return low
}

/**
 * Spans without overlaps, in text order. Overlapping spans are merged and named after the most specific one, so that nothing that
 * was found stays visible: rules for one service before general ones, then the longest, then table order.
 */
function resolveOverlaps(spans: readonly RankedMatch[]): RankedMatch[] {
  const findings: RankedMatch[] = []
  let cluster: RankedMatch[] = []
  let reach = 0
  for (const span of [...spans].sort((a, b) => a.start - b.start || b.end - a.end)) {
    if (cluster.length > 0 && span.start >= reach) {
      findings.push(united(cluster, reach))
      cluster = []
    }
    cluster.push(span)
    reach = Math.max(cluster.length === 1 ? 0 : reach, span.end)
  }
  if (cluster.length > 0) findings.push(united(cluster, reach))
  return findings
}

function united(cluster: readonly RankedMatch[], end: number): RankedMatch {
  const [first, ...others] = cluster
  const winner = others.reduce((best, span) => (isBefore(span, best) ? span : best), first ?? NOTHING)
  return { ...winner, kind: kindOf(cluster), start: first?.start ?? 0, end }
}

const NOTHING: RankedMatch = { type: '', rule: '', kind: 'pii', start: 0, end: 0, order: 0, generic: true }

/** A merged span that contains a secret is a secret, whichever rule names it. */
const kindOf = (cluster: readonly RankedMatch[]): RankedMatch['kind'] =>
  cluster.some((span) => span.kind === 'secret') ? 'secret' : 'pii'

function isBefore(a: RankedMatch, b: RankedMatch): boolean {
  if (a.generic !== b.generic) return !a.generic
  const longer = a.end - a.start - (b.end - b.start)
  return longer === 0 ? a.order < b.order : longer > 0
}
