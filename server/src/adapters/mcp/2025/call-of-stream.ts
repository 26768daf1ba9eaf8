import type { Caller } from '../../../kernel/contract/caller.ts'
import { mayContinue } from '../../../kernel/identity/grants.ts'
import type { CallId } from '../../../kernel/contract/ids.ts'
import type { Searches } from '../../../kernel/ports/reads.ts'

export type StreamCallDeps = { readonly searches: Searches }

const PAGE = 200
/** A stream is resumed soon after it was lost, so its call is among the newest of its caller. */
const MOST_PAGES = 5

export type StreamCall = { readonly call_id: CallId; readonly tool_id: string }

/** The call that this caller made in this thread and that is answered by this stream. */
export async function callOfStream(
  { searches }: StreamCallDeps,
  caller: Caller,
  thread: string,
  stream: string,
  since: number,
): Promise<StreamCall | undefined> {
  let after: number | undefined
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const found = await searches.search(
      'calls',
      { caller: caller.id, user: caller.user, since },
      { limit: PAGE, newest_first: true, ...(after === undefined ? {} : { after }) },
    )
    const call = found.items.find(
      ({ row }) => row.answer_stream === stream && row.thread === thread && mayContinue(caller, row.caller),
    )
    if (call !== undefined) return { call_id: call.row.call_id, tool_id: call.row.tool_id }
    if (found.next === undefined) return undefined
    after = found.next
  }
  return undefined
}
