import type { Caller } from '../../kernel/contract/caller.ts'
import type { HubKeysAnswer, NodeAnswer, NodeOutcome, NodeRequest } from './hub.ts'
import type { Result } from '../../kernel/contract/problems.ts'
import type { ReadNodesDeps } from './read-nodes.ts'
import { readNodes } from './read-nodes.ts'
import { changeHubKey, readHubKeys, type HubKeyDeps } from './hub-key.ts'
import { waitForDecisions, type WaitForDecisionsDeps } from './wait-for-decisions.ts'
import { nodesSeen } from './nodes-seen.ts'
import { takeMessage } from './take-message.ts'
import { watchDecisions, type DecidedForNode, type WatchDecisionsDeps } from './watch-decisions.ts'
import { takeOutcome, type TakeOutcomeDeps } from './take-outcome.ts'
import { takeRequest, type TakeRequestDeps } from './take-request.ts'

export type HubDeps = WatchDecisionsDeps &
  TakeRequestDeps &
  TakeOutcomeDeps &
  WaitForDecisionsDeps &
  HubKeyDeps &
  Omit<ReadNodesDeps, 'seen'>

/** What nodes ask of a hub, and what people ask about nodes. */
export interface HubGate {
  takeRequest(node: Caller, request: NodeRequest): Promise<Result<readonly string[]>>
  takeOutcome(node: Caller, outcome: NodeOutcome): Promise<Result<readonly string[]>>
  /** Any message of a node, as text. */
  takeMessage(node: Caller, text: string, sent_at: number): Promise<Result<readonly string[]>>
  /** Reports decisions as they are made. Returns a function that stops it. */
  onDecided(listener: (decided: DecidedForNode) => void): () => void
  decisions(
    node: Caller,
    asked: { readonly approvals: readonly string[]; readonly wait_s: number },
  ): Promise<Result<readonly string[]>>
  keys(caller: Caller): Result<HubKeysAnswer>
  changeKey(caller: Caller, step: 'prepare' | 'activate'): Promise<Result<HubKeysAnswer>>
  nodes(caller: Caller): Promise<Result<readonly NodeAnswer[]>>
}

export function bindHub(deps: HubDeps): HubGate {
  const seen = nodesSeen(deps.clock)
  return {
    takeRequest: (node, request) => takeRequest(deps, seen.note(node), request),
    takeOutcome: (node, outcome) => takeOutcome(deps, seen.note(node), outcome),
    takeMessage: (node, text, sent_at) => takeMessage(deps, seen.note(node, sent_at), text),
    onDecided: (listener) => watchDecisions(deps, listener),
    decisions: (node, asked) => waitForDecisions(deps, seen.note(node), asked),
    keys: (caller) => readHubKeys(deps, caller),
    changeKey: (caller, step) => changeHubKey(deps, caller, step),
    nodes: (caller) => readNodes({ ...deps, seen }, caller),
  }
}
