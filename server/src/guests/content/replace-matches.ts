import type { TextMatch } from './rule.ts'

/** Replaces non-overlapping findings. */
export function replaced(text: string, findings: readonly TextMatch[]): string {
  if (findings.length === 0) return text
  const parts: string[] = []
  let end = text.length
  for (const finding of findings.toReversed()) {
    parts.push(text.slice(finding.end, end), `[REDACTED_${finding.type}]`)
    end = finding.start
  }
  parts.push(text.slice(0, end))
  return parts.toReversed().join('')
}
