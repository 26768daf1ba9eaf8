import { z } from 'zod'
import { isUnrecorded, lostAt } from '../../../kernel/changes/unrecorded.ts'
import { canonicalJson } from '../../../kernel/json/canonical.ts'
import type { Change } from '../../../kernel/ports/ledger.ts'
import { valueId } from '../agent-store.ts'
import type { WorkflowFound } from '../draft.ts'
import { textIn } from '../tool-step.ts'
import { STORE_BOUNDS } from '../workflow.ts'
import { FIELDS, stepType, type StepContext } from './step-type.ts'

const Persist = z.strictObject({
  type: z.literal('persist'),
  ...FIELDS.common,
  key: z.string().regex(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/, 'a key is 1 to 128 letters, digits, `_`, `.` and `-`'),
  value: z.json(),
})
const DAY_MS = 86_400_000

/** Stores a value that the runs of the document share. */
export const persist = stepType(Persist, {
  value: { field: 'value', mayHoldSecret: false },
  says: ({ type, key }) => `${type} ${key}`,
  isFree: () => false,
  work: {
    does: 'persist',
    template: ({ value }) => ({ value }),
    details: ({ key }, { filled }) => ({ key, value: filled['value'] ?? null }),
    perform: store,
    assume({ details, kept }) {
      const { key = '', value = null } = details
      kept.set(textIn(details, 'key'), value)
      return Promise.resolve({ does: 'persist', args: { key, value }, assumed: value })
    },
  },
})

/**
 * INVARIANT: a value is written once per step, in the commit that spends the step's key; a new key takes one of the agent's
 * slots.
 */
async function store({
  state,
  key,
  details,
  tables,
  now: clock,
  commitWithin,
}: StepContext): Promise<WorkflowFound | 'later'> {
  const name = textIn(details, 'key')
  const value = details['value'] ?? null
  const canonical = canonicalJson(value)
  const bytes = canonical.ok ? new TextEncoder().encode(canonical.value).byteLength : Infinity
  const full = (says: string): WorkflowFound => ({ failure: { code: 'limit_exceeded', says, again: false } })
  if (bytes > STORE_BOUNDS.bytes) return full(`a value of the store has at most ${STORE_BOUNDS.bytes} bytes`)
  const id = valueId(state.document, name)
  for (;;) {
    const held = await tables.row('agent_values', id)
    const now = clock()
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
    const written = await commitWithin(places, changes)
    if (typeof written === 'object' && 'over' in written) return full(`the store has at most ${STORE_BOUNDS.keys} keys`)
    // The key is spent: the value was already written.
    if (written === 'committed' || lostAt(written) === 0) return { output: value }
    if (isUnrecorded(written)) return 'later'
  }
}
