import type { Json, JsonObject } from '../../kernel/contract/json.ts'
import { STORE_BOUNDS } from './workflow.ts'
import { canonicalJson } from '../../kernel/json/canonical.ts'
import type { WorkflowFound } from './draft.ts'
import type { WorkflowState } from './state.ts'
import { isUnrecorded, lostAt } from '../../kernel/changes/unrecorded.ts'
import type { Change } from '../../kernel/ports/ledger.ts'
import type { Tables } from '../../kernel/ports/reads.ts'
import type { Clock } from '../../kernel/ports/runtime.ts'
import { commitWithin, isOver, type MeterDeps } from './api.ts'
import { textIn } from './tool-step.ts'

/** What the runs of one document share: a limited store of values by key. */
export type LoadDeps = { readonly tables: Pick<Tables, 'row'> }
export type PersistDeps = LoadDeps & MeterDeps & { readonly clock: Clock }

const DAY_MS = 86_400_000
const valueId = (agent: string, key: string): string => `${agent} ${key}`

/** The values that a step requests, as far as they exist. */
export async function loadValues(
  { tables }: LoadDeps,
  agent: string,
  details: JsonObject,
): Promise<Required<Pick<WorkflowFound, 'loaded'>>> {
  const keys = Array.isArray(details['keys']) ? (details['keys'] as readonly Json[]).map(String) : []
  const found: [string, Json][] = []
  for (const key of keys) {
    const row = (await tables.row('agent_values', valueId(agent, key)))?.row
    if (row !== undefined) found.push([key, row.value])
  }
  return { loaded: Object.fromEntries(found) }
}

/**
 * INVARIANT: a value is written once per step, in the commit that spends the step's key; a new key takes one of the agent's
 * slots.
 */
export async function persistValue(
  deps: PersistDeps,
  state: Pick<WorkflowState, 'document' | 'run_id'>,
  key: string,
  details: JsonObject,
): Promise<WorkflowFound | 'later'> {
  const name = textIn(details, 'key')
  const value = details['value'] ?? null
  const canonical = canonicalJson(value)
  const bytes = canonical.ok ? new TextEncoder().encode(canonical.value).byteLength : Infinity
  const full = (says: string): WorkflowFound => ({ failure: { code: 'limit_exceeded', says, again: false } })
  if (bytes > STORE_BOUNDS.bytes) return full(`a value of the store has at most ${STORE_BOUNDS.bytes} bytes`)
  const id = valueId(state.document, name)
  for (;;) {
    const held = await deps.tables.row('agent_values', id)
    const now = deps.clock()
    const changes: Change[] = [
      { kind: 'once', key: `workflow.persist ${key}`, until: now + 365 * DAY_MS },
      {
        kind: 'swap',
        table: 'agent_values',
        id,
        from: held?.version ?? 'absent',
        to: { v: 1, agent: state.document, key: name, value, at: now, by_run: state.run_id },
      },
    ]
    const places = held === undefined ? [{ account: `workflow store ${state.document}`, limit: STORE_BOUNDS.keys }] : []
    const written = await commitWithin(deps, places, changes)
    if (isOver(written)) return full(`the store has at most ${STORE_BOUNDS.keys} keys`)
    // The key is spent: the value was already written.
    if (written === 'committed' || lostAt(written) === 0) return { output: value }
    if (isUnrecorded(written)) return 'later'
  }
}
