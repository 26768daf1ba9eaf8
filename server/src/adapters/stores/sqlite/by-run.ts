/**
 * Calls that toolflows of earlier releases made had two fields for this, `for_run` and `toolflow`. Only a call that has not ended
 * is judged or reported again, so only those rows change. `by_run` is `byRun` below; like every migration it never changes.
 */
export const BY_RUN = `
  UPDATE calls SET body = by_run(body), version = version + 1
    WHERE state IN ('pending', 'executing', 'unknown') AND body ->> 'for_run' IS NOT NULL;`

type Former = {
  readonly for_run: string
  readonly toolflow?: { readonly at_least?: string; readonly risk_score?: number }
}

const STEPS: Readonly<Record<string, string>> = { ask: 'ASK', block: 'BLOCK' }

/** The same call with one field for the run that made it. */
export function byRun(body: string): string {
  const { for_run: run_id, toolflow = {}, ...row } = JSON.parse(body) as Former
  const { at_least = 'ask', ...claimed } = toolflow
  const step = STEPS[at_least] ?? 'EXECUTE'
  return JSON.stringify({ ...row, by_run: { run_id, kind: 'toolflow', step, at_least, lane: null, ...claimed } })
}
