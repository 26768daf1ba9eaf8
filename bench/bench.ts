/** One question, one folder. `run` measures ours and the baselines in the same process run; `table` prints it for people. */
export type Bench<Report extends object = object> = {
  /** `if available`: if the peers cannot be installed, measures the rest and says what is left out. */
  readonly needsPeers?: boolean | 'if available'
  run(options: readonly string[]): Promise<Report>
  table(report: Report): string
}

/** An error that the user can fix: printed as one sentence, without a stack trace. */
export const complaint = (says: string): Error => Object.assign(new Error(says), { name: 'Complaint' })

/** The values that follow an option, up to the next option: `--data a b` gives `['a', 'b']`. */
export function valuesOf(options: readonly string[], name: string): string[] {
  const start = options.indexOf(name)
  if (start === -1) return []
  const rest = options.slice(start + 1)
  const end = rest.findIndex((word) => word.startsWith('--'))
  return end === -1 ? rest : rest.slice(0, end)
}

/** Columns padded to their widest cell. */
export function columns(rows: readonly (readonly (string | number)[])[]): string {
  const text = rows.map((row) => row.map(String))
  const widths = (text[0] ?? []).map((_, column) => Math.max(...text.map((row) => row[column]?.length ?? 0)))
  return text
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** The quantile `share` of the sorted numbers. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
