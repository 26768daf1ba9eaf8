import { Bug, type Result } from '../../../kernel/contract/problems.ts'
import type { Caller } from '../../../kernel/contract/caller.ts'
import { ToolflowBody, type ToolflowView } from '../toolflow.ts'
import { runToolflow, type RunToolflow } from '../run-toolflow.ts'
import { USER, type GateRig } from '../../../../test/helpers/with-gate.ts'

/** Notes run unattended unless they say `ask`; everything else follows the preset. */
export const FLOW_POLICY = `
rules:
  - { id: notes, effect: allow, match: { tool: [book__note, book__slow_note, book__note_again] }, says: harmless }
  - { id: asked, effect: ask, match: { tool: book__note }, when: 'args.text.startsWith("ask")', says: a person decides }
  - { id: two, effect: ask, strength: two_person, match: { tool: book__note }, when: 'args.text == "ask two"', says: two people }
`

export function valueOf<T>(result: Result<T>): T {
  if (!result.ok) throw new Bug(JSON.stringify(result.problem))
  return result.value
}

export async function runFlow(
  { gate }: GateRig,
  body: object,
  more: RunToolflow & { caller?: Caller } = {},
): Promise<ToolflowView> {
  const { caller = USER, ...rest } = { wait_ms: 110_000, ...more }
  return valueOf(await runToolflow(gate.ports, caller, ToolflowBody.parse(body), rest))
}

/** A note that a person chose, so that only the gate decides. */
export const note = (text: string) => ({ user_prompt: 'a note', skill_id: 'book__note', args: { text } })

/** What an approver names: the request, and the packet as it was shown. */
export function shownIn(view: ToolflowView): { approval_id: `auth_${string}`; digest: string } {
  const packet = view.approval_packet
  return { approval_id: approvalIn(view), digest: packet !== undefined && 'digest' in packet ? packet.digest : '' }
}

export function approvalIn({ approval_packet }: ToolflowView): `auth_${string}` {
  const id = approval_packet?.approval_id ?? null
  if (id === null) throw new Bug('expected a held call')
  return id
}
