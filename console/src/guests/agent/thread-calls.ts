import type { ThreadEvent } from './follow-thread.ts'

/** One call that the model proposed, and its outcome, if known. */
export type ThreadCall = {
  readonly id: string
  readonly tool: string
  readonly args: unknown
  readonly step: number
  readonly verdict?: { readonly effect: 'allow' | 'ask' | 'block'; readonly why: string }
  readonly call_id?: string
  readonly approval_id?: string
  readonly result?: 'success' | 'failed'
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)
const EFFECTS = new Set(['allow', 'ask', 'block'])

/** The calls of a thread in order, from its events. */
export function callsOf(events: readonly ThreadEvent[]): readonly ThreadCall[] {
  const calls: ThreadCall[] = []
  const change = (more: Partial<ThreadCall>) => {
    const last = calls.at(-1)
    if (last !== undefined && last.result === undefined) calls[calls.length - 1] = { ...last, ...more }
  }
  for (const { id, event, data } of events) {
    if (event === 'tool_proposed')
      calls.push({ id, tool: String(data['tool']), args: data['args'], step: Number(data['step'] ?? 0) })
    else if (event === 'risk_gate') {
      const effect = String(data['effect'])
      const call_id = text(data['call_id'])
      change({
        ...(EFFECTS.has(effect) ? { verdict: { effect: effect as 'ask', why: text(data['why']) ?? '' } } : {}),
        ...(call_id === undefined ? {} : { call_id }),
      })
    } else if (event === 'approval_required') {
      const approval_id = text(data['approval_id'])
      if (approval_id !== undefined) change({ approval_id })
    } else if (event === 'tool_result') change({ result: data['status'] === 'success' ? 'success' : 'failed' })
  }
  return calls
}

/** The nodes that the thread passed, in order. Each entry of a path reads `from → to: why`. */
export function pathOf(events: readonly ThreadEvent[], upTo = Infinity): readonly string[] {
  const path: string[] = []
  for (const { id, event, data } of events) {
    // An id begins with the number of the journal's entry that led to it.
    if (Number.parseInt(id, 10) > upTo) break
    if (event !== 'state' || !Array.isArray(data['path'])) continue
    for (const entry of data['path']) {
      const [, from, to] = /^(\w+) → (\w+)/.exec(String(entry)) ?? []
      if (from === undefined || to === undefined) continue
      if (path.at(-1) !== from) path.push(from)
      path.push(to)
    }
  }
  return path
}
