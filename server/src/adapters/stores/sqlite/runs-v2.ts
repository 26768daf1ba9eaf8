/** A run's row as written by releases before the driver with named timers. Only what the migration needs. */
type RunV1 = {
  readonly kind: string
  readonly status: 'active' | 'done'
  readonly state: Readonly<Record<string, unknown>>
  readonly executing: readonly { readonly kind: string }[]
}

/** The same run in its second form: timers by name, the new statuses, and without effects that no longer exist. */
export function runV2(body: string, later: string | undefined): string {
  const first = JSON.parse(body) as RunV1
  const run: RunV1 = later === undefined ? first : { ...first, ...(JSON.parse(later) as Partial<RunV1>) }
  if (run.status === 'done') return JSON.stringify({ ...run, v: 2, timers: {} })
  // The end of a toolflow became part of its last step.
  const executing = run.executing.filter(({ kind }) => kind !== 'toolflow_end')
  const status = executing.length > 0 ? 'active' : 'waiting'
  return JSON.stringify({ ...run, v: 2, status, executing, timers: timersOf(run), ...waitsFor(run) })
}

function timersOf({ kind, state, executing }: RunV1): Readonly<Record<string, unknown>> {
  if (executing.some((effect) => effect.kind === 'toolflow_end')) return { end: 0 }
  if (state['phase'] !== 'waiting') return {}
  if (kind === 'held-call' && typeof state['expires_at'] === 'number') return { expiry: state['expires_at'] }
  return kind === 'delivery' ? { send: state['next_at'] } : {}
}

function waitsFor({ kind, state }: RunV1): { readonly waits_for?: string } {
  const isHeld = kind === 'held-call' && state['phase'] === 'waiting'
  return isHeld ? { waits_for: `approval ${String(state['approval_id'])}` } : {}
}
