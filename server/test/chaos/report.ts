import type { Violation } from './history.ts'

/** What one part of the suite did: the faults it caused, the histories it checked, and what it found. */
export type PartReport = {
  readonly part: string
  /** How often each kind of fault was caused. */
  readonly faults: Readonly<Record<string, number>>
  /** How many calls, decisions, receipts and audit entries were checked. */
  readonly checks: Readonly<Record<string, number>>
  readonly violations: readonly Violation[]
  /** What was measured, or why something was skipped. */
  readonly notes?: readonly string[]
  readonly seconds?: number
}
/** Called with the progress of a part and what it has found so far. */
export type Progress = (done: string, sofar: PartReport) => void

export type ChaosReport = {
  readonly suite: 'chaos' | 'soak'
  readonly seed: number
  readonly seconds: number
  readonly parts: readonly PartReport[]
  /** Parts that were requested and have not ended. Empty in the report of a whole run. */
  readonly missing: readonly string[]
  readonly violations: number
}

/** This part was skipped, and the report says so. */
export const skipped = (part: string, why: string): PartReport => ({
  part,
  faults: {},
  checks: {},
  violations: [],
  notes: [`SKIPPED: ${why}`],
})

const counted = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ')

export function addCounts(
  one: Readonly<Record<string, number>>,
  other: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  return Object.fromEntries([...names].map((name) => [name, (one[name] ?? 0) + (other[name] ?? 0)]))
}

export function partText({ part, faults, checks, violations, notes = [], seconds }: PartReport): string {
  const lines = [
    seconds === undefined ? part : `${part} (${seconds} s)`,
    `  faults:     ${counted(faults) || 'none'}`,
    `  checked:    ${counted(checks) || 'nothing'}`,
    `  violations: ${violations.length}`,
    ...violations.map(({ kind, about, says }) => `    ${kind} ${about}: ${says}`),
    ...notes.map((note) => `  note:       ${note}`),
  ]
  return `${lines.join('\n')}\n`
}
