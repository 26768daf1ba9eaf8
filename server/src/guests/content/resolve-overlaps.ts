import type { Span } from './try-rule.ts'

/**
 * Spans without overlaps, in text order. Overlapping spans are merged and named after the most specific one, so that nothing that
 * was found stays visible: rules for one service before general ones, then the longest, then table order.
 */
export function resolveOverlaps(spans: readonly Span[]): Span[] {
  const findings: Span[] = []
  let cluster: Span[] = []
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

function united(cluster: readonly Span[], end: number): Span {
  const [first, ...others] = cluster
  const winner = others.reduce((best, span) => (isBefore(span, best) ? span : best), first ?? NOTHING)
  return { ...winner, kind: kindOf(cluster), start: first?.start ?? 0, end }
}

const NOTHING: Span = { type: '', rule: '', kind: 'pii', start: 0, end: 0, order: 0, generic: true }

/** A merged span that contains a secret is a secret, whichever rule names it. */
const kindOf = (cluster: readonly Span[]): Span['kind'] =>
  cluster.some((span) => span.kind === 'secret') ? 'secret' : 'pii'

function isBefore(a: Span, b: Span): boolean {
  if (a.generic !== b.generic) return !a.generic
  const longer = a.end - a.start - (b.end - b.start)
  return longer === 0 ? a.order < b.order : longer > 0
}
