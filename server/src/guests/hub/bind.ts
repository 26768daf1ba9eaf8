import type { Caller } from '../../kernel/contract/caller.ts'
import type { HubKeysAnswer, NodeAnswer, NodeOutcome, NodeRequest } from './hub.ts'
import type { Result } from '../../kernel/contract/problems.ts'
import type { ReadNodesDeps } from './read-nodes.ts'
import { readNodes } from './read-nodes.ts'
import { changeHubKey, readHubKeys, type HubKeyDeps } from './hub-key.ts'
import { waitForDecisions, type WaitForDecisionsDeps } from './wait-for-decisions.ts'
import type { NodesSeen } from './nodes-seen.ts'
import { takeOutcome, type TakeOutcomeDeps } from './take-outcome.ts'
import { takeRequest, type TakeRequestDeps } from './take-request.ts'

export type HubDeps = TakeRequestDeps &
  TakeOutcomeDeps &
  WaitForDecisionsDeps &
  HubKeyDeps &
  Omit<ReadNodesDeps, 'seen'> & { readonly nodesSeen: NodesSeen }

/** What nodes ask of a hub, and what people ask about nodes. */
export interface HubGate {
  takeRequest(node: Caller, request: NodeRequest): Promise<Result<readonly string[]>>
  takeOutcome(node: Caller, outcome: NodeOutcome): Promise<Result<readonly string[]>>
  decisions(
    node: Caller,
    asked: { readonly approvals: readonly string[]; readonly wait_s: number },
  ): Promise<Result<readonly string[]>>
  keys(caller: Caller): Result<HubKeysAnswer>
  changeKey(caller: Caller, step: 'prepare' | 'activate'): Promise<Result<HubKeysAnswer>>
  nodes(caller: Caller): Promise<Result<readonly NodeAnswer[]>>
}

export function bindHub(deps: HubDeps): HubGate {
  const { nodesSeen: seen } = deps
  return {
    takeRequest: (node, request) => takeRequest(deps, seen.note(node), request),
    takeOutcome: (node, outcome) => takeOutcome(deps, seen.note(node), outcome),
    decisions: (node, asked) => waitForDecisions(deps, seen.note(node), asked),
    keys: (caller) => readHubKeys(deps, caller),
    changeKey: (caller, step) => changeHubKey(deps, caller, step),
    nodes: (caller) => readNodes({ ...deps, seen }, caller),
  }
}
