import type { RunId } from '../../contract/ids.ts'
import type { Json } from '../../contract/json.ts'
import type { RunKind, RunRow } from '../../contract/run.ts'

/** A run's first row: nothing heard yet, nothing begun. */
export function newRun<State extends Json>(
  { kind }: RunKind<State>,
  run_id: RunId,
  state: State,
  created_at: number,
): RunRow {
  return { v: 1, run_id, kind, status: 'active', state, cursor: 0, executing: [], created_at }
}
