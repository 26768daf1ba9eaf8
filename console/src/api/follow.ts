import { announce } from '../lib/announce.ts'
import { noteCall } from '../lib/changes.ts'
import { lookForUpdate } from '../lib/outdated.ts'
import { problemOf } from './problem.ts'
import { queryClient } from './queries.ts'
import { followStream, type StreamEvent } from './stream.ts'

/** What has to be read again after a change of each kind. */
const TOUCHED: Readonly<Record<string, readonly string[]>> = {
  approval: ['approvals'],
  call: ['calls', 'overview'],
  tools: ['tools', 'servers'],
  tool: ['tools', 'servers'],
  pause: ['pauses'],
  policy: ['policy'],
  run: ['runs', 'threads'],
  flow: ['flows'],
}

/** Changes come in bursts; what they touch is read once for all of them. */
const GATHER_MS = 150

export function followGate(): () => void {
  const touched = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const flush = () => {
    timer = undefined
    for (const key of touched) void queryClient.invalidateQueries({ queryKey: [key] })
    touched.clear()
  }
  const onEvent = (event: StreamEvent) => {
    for (const key of TOUCHED[event.kind] ?? []) touched.add(key)
    if (event.kind === 'call') noteCall(event.data['call_id'])
    if (event.kind === 'policy') announce('The policy changed')
    timer ??= setTimeout(flush, GATHER_MS)
  }
  let isFirst = true
  const reread = async () => {
    // A gate that was away may be back with another console.
    if (!isFirst) void lookForUpdate()
    isFirst = false
    await queryClient.invalidateQueries({ refetchType: 'active' })
    // Only what is decided on has to be new; a page that this person may not read does not stop them.
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
