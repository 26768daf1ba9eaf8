import { issueLines } from '../../kernel/contract/issue-lines.ts'
import type { Caller } from '../../kernel/contract/caller.ts'
import { NodeMessage } from './hub.ts'
import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'
import { readJson } from '../../kernel/json/read-json.ts'
import { takeOutcome, type TakeOutcomeDeps } from './take-outcome.ts'
import { takeRequest, type TakeRequestDeps } from './take-request.ts'

/** A message of a node as text, from a transport without routes. `alive` needs no answer: the hub has noted when it was sent. */
export async function takeMessage(
  deps: TakeRequestDeps & TakeOutcomeDeps,
  node: Caller,
  text: string,
): Promise<Result<readonly string[]>> {
  const json = readJson(text)
  if (!json.ok) return json
  const read = NodeMessage.safeParse(json.value)
  if (!read.success) {
    return refuse('request.invalid', { paths: issueLines(read.error.issues, 'the message').slice(0, 10).join('; ') })
  }
  if (read.data.is === 'alive') return ok([])
  return read.data.is === 'request' ? takeRequest(deps, node, read.data) : takeOutcome(deps, node, read.data)
}
