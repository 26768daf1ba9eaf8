import type { Call } from '../contract/call.ts'
import type { Tool } from '../contract/tool.ts'
import type { FilledFacts } from '../decide/facts.ts'
import type { FilledDeps } from '../decide/judging.ts'

/**
 * Why arguments that the gate filled in itself are not sent; undefined if they may be. They may contain values from a tool
 * server's answer, which nobody has judged. Nobody can be asked about them, so what would be asked about is not sent either,
 * unless the arguments contain only what the call was judged with.
 */
export async function problemOfFilled(
  deps: FilledDeps,
  call: Call,
  tool: Tool,
  canonical_args: string,
  holdsAnswers: boolean,
): Promise<string | undefined> {
  const filled: Call = { ...call, tool_id: tool.row.tool_id, canonical_args }
  const { facts, deciders } = deps.judgement
  const gathered = await Promise.all(
    facts.map(async ({ name, gatherFilled }) => ({ [name]: await gatherFilled?.(deps, filled, tool) })),
  )
  const known: FilledFacts = Object.assign({ now: deps.clock(), tool }, ...gathered)
  const opinions = deciders.flatMap((decider) => decider.judgeFilled?.(filled, known) ?? [])
  return opinions.find(({ effect }) => effect === 'block' || (holdsAnswers && effect === 'ask'))?.says
}
