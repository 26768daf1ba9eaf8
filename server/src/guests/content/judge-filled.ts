import type { Call } from '../../kernel/contract/call.ts'
import type { Tool } from '../../kernel/contract/tool.ts'
import type { OwnCredentials } from './find-own.ts'
import { judgeFilled } from './judge-filled-core.ts'
import { filesFact, type FilesDeps } from '../sandbox/facts/files-fact.ts'
import type { Judgement } from '../../kernel/attempt/facts/load-judgement.ts'
import { trapFacts } from './facts/trap-facts.ts'
import type { Clock } from '../../kernel/ports/runtime.ts'

export type FilledDeps = FilesDeps & {
  readonly judgement: Pick<Judgement, 'scanner' | 'traps'>
  readonly clock: Clock
  readonly ownCredentials: () => OwnCredentials
}

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
  const { scanner, traps: honey } = deps.judgement
  const [files, traps, guarded] = await Promise.all([
    filesFact(deps, filled, tool),
    trapFacts(deps),
    scanner.guarded(canonical_args, deps.ownCredentials(), honey),
  ])
  const opinions = judgeFilled(filled, { now: deps.clock(), tool, files, traps, guarded })
  return opinions.find(({ effect }) => effect === 'block' || (holdsAnswers && effect === 'ask'))?.says
}
