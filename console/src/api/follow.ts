import type { ConsoleGuest } from '../guest.ts'
import { GUESTS } from '../guests.ts'
import { announce } from '../lib/announce.ts'
import { noteCall } from '../lib/changes.ts'
import { lookForUpdate } from '../lib/outdated.ts'
import { problemOf } from './problem.ts'
import { queryClient } from './queries.ts'
import { followStream, type ChangeEvent } from './stream.ts'

/** The queries to refresh after each kind of change. */
const TOUCHED: Readonly<Record<string, readonly string[]>> = {
  approval: ['approvals', 'attention'],
  call: ['calls', 'overview', 'attention'],
  tools: ['tools', 'servers', 'attention'],
  tool: ['tools', 'servers', 'attention'],
  pause: ['pauses'],
  policy: ['policy'],
  run: ['runs'],
}
const guests: readonly ConsoleGuest[] = GUESTS

const touchedBy = (kind: string): readonly string[] => [
  ...(TOUCHED[kind] ?? []),
  ...guests.flatMap(({ touched = {} }) => touched[kind] ?? []),
]

/** Changes come in bursts, so each query is refreshed once per burst. */
const GATHER_MS = 150

export function followGate(): () => void {
  const touched = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const flush = () => {
    timer = undefined
    for (const key of touched) void queryClient.invalidateQueries({ queryKey: [key] })
    touched.clear()
  }
  const onEvent = (event: ChangeEvent) => {
    for (const key of touchedBy(event.kind)) touched.add(key)
    if (event.kind === 'call') noteCall(event.data['call_id'])
    if (event.kind === 'policy') announce('The policy changed')
    timer ??= setTimeout(flush, GATHER_MS)
  }
  let isFirst = true
  const reread = async () => {
    // After a reconnect, the gate may serve another version of the console.
    if (!isFirst) void lookForUpdate()
    isFirst = false
    await queryClient.invalidateQueries({ refetchType: 'active' })
    // Only the data for decisions must be fresh; a query that this person may not read is ignored.
    const decided = queryClient.getQueryCache().findAll({ queryKey: ['approvals'], type: 'active' })
    const failed = decided.find(({ state }) => state.status === 'error')
    if (failed !== undefined && problemOf(failed.state.error).status !== 404) throw failed.state.error
  }
  const stop = followStream({ onEvent, reread })
  return () => {
    clearTimeout(timer)
    stop()
  }
}
