import { AsyncLocalStorage } from 'node:async_hooks'
import type { Attributes, Span } from '@opentelemetry/api'
import type { Outcome } from '../../kernel/contract/call.ts'
import type { Change, Ledger } from '../../kernel/ports/ledger.ts'
import type { Dispatch, Observers } from '../../kernel/ports/observers.ts'
import type { Clock, Ids } from '../../kernel/ports/runtime.ts'
import type { ToolServers, UpstreamCall } from '../../kernel/ports/upstream.ts'
import type { Instruments } from './instruments.ts'
import type { Live, Telemetry } from './open-telemetry.ts'
import type { Spans } from './spans.ts'

/** The corridor a piece of work belongs to. */
type Corridor = { readonly begun: number; readonly span: Span | undefined; isDecided: boolean }

/**
 * Wraps what a call passes through, so that commands do not know that they are measured. While nobody measures, each wrapper
 * costs one check.
 */
export function measure(
  telemetry: Telemetry,
  { clock, ids }: { readonly clock: Clock; readonly ids: Pick<Ids, 'trace'> },
): Observers {
  const corridors = new AsyncLocalStorage<Corridor>()

  async function commit(live: Live, ledger: Ledger, changes: readonly Change[]) {
    const corridor = corridors.getStore()
    const begun = performance.now()
    if (corridor !== undefined && !corridor.isDecided && changes.some(isNewCall)) decided(live, corridor, begun)
    const span = corridor?.span === undefined ? undefined : live.spans?.below(corridor.span, 'commit')
    const committed = await ledger.commit(changes)
    live.instruments.time('commit', since(begun))
    if (committed === 'committed') countChanges(live.instruments, changes, clock())
    live.spans?.end(span, committed === 'committed' ? undefined : 'not committed')
    return committed
  }

  function decided({ instruments, spans }: Live, corridor: Corridor, at: number): void {
    corridor.isDecided = true
    instruments.time('decision', (at - corridor.begun) / 1000)
    if (corridor.span !== undefined)
      spans?.below(corridor.span, 'decide', { started: performance.timeOrigin + corridor.begun }).end()
  }

  async function call(live: Live, servers: ToolServers, asked: UpstreamCall) {
    const begun = performance.now()
    const labels = { server: asked.server }
    const corridor = corridors.getStore()
    // After an approval the call continues outside its corridor, in the same trace.
    const span = spanFor(live.spans, corridor, asked)
    const sent = span === undefined ? asked : { ...asked, span: span.spanContext().spanId }
    const answer = await servers.call(sent)
    live.instruments.time('upstream', since(begun), { ...labels, answer: answer.is })
    live.spans?.end(span, answer.is === 'answered' ? undefined : answer.is)
    return answer
  }

  const dispatched = async (live: Live, dispatch: Dispatch, ...[request, how]: Parameters<Dispatch>) => {
    const trace = request.trace ?? ids.trace()
    const parent = request.parent_span === undefined ? {} : { parent: request.parent_span }
    const span = live.spans?.inTrace(trace, 'call', parent)
    const corridor: Corridor = { begun: performance.now(), span, isDecided: false }
    const outcome = await corridors.run(corridor, () => dispatch({ ...request, trace }, how))
    span?.setAttributes(attributesOf(outcome))
    live.spans?.end(span, outcome.status === 'failed' ? outcome.problem.code : undefined)
    return outcome
  }

  return {
    ledger: (ledger) => ({
      ...ledger,
      commit(changes) {
        const live = telemetry.live()
        return live === undefined ? ledger.commit(changes) : commit(live, ledger, changes)
      },
    }),
    servers: (servers) => ({
      ...servers,
      call(asked: UpstreamCall) {
        const live = telemetry.live()
        return live === undefined ? servers.call(asked) : call(live, servers, asked)
      },
    }),
    authenticate: (authenticate) => async (key) => {
      const caller = await authenticate(key)
      if (!caller.ok) telemetry.live()?.instruments.count('auth_failures', 1, { code: caller.problem.code })
      return caller
    },
    dispatch: (dispatch) => (request, how) => {
      const live = telemetry.live()
      return live === undefined ? dispatch(request, how) : dispatched(live, dispatch, request, how)
    },
  }
}

const since = (begun: number) => (performance.now() - begun) / 1000
const isNewCall = (change: Change) => change.kind === 'swap' && change.table === 'calls' && change.from === 'absent'

function spanFor(spans: Spans | undefined, corridor: Corridor | undefined, { trace, server }: UpstreamCall) {
  const attributes = { 'sluice.server': server }
  if (corridor?.span !== undefined) return spans?.below(corridor.span, 'upstream', { attributes })
  return spans?.inTrace(trace, 'upstream', { attributes })
}

function attributesOf(outcome: Outcome): Attributes {
  const code = 'problem' in outcome ? { 'sluice.code': outcome.problem.code } : {}
  return { 'sluice.outcome': outcome.status, ...code }
}

const ENDS: readonly string[] = ['executed', 'refused', 'failed', 'unknown']

/** Derives the metrics from commits. Everything that happens is in one, so nothing is counted twice or missed. */
function countChanges(instruments: Instruments, changes: readonly Change[], now: number): void {
  let audited = 0
  for (const change of changes) {
    if (change.kind === 'audit') audited += 1
    if (change.kind !== 'swap') continue
    if (change.table === 'calls') {
      const { verdict, state, due, settled, retry } = change.to
      if (change.from === 'absent') instruments.count('calls', 1, { verdict: verdict.effect })
      if (ENDS.includes(state) && due === undefined && settled === undefined && retry === undefined)
        instruments.count('outcomes', 1, { outcome: state })
    }
    if (change.table === 'approvals' && change.to.state !== 'pending') {
      const { state, created_at } = change.to
      instruments.count('decisions', 1, { state })
      // A used or stale request was no longer waiting for anybody.
      if (state !== 'consumed' && state !== 'stale') instruments.time('held', (now - created_at) / 1000, { state })
    }
  }
  if (audited > 0) instruments.count('audited', audited)
}
