import { z } from 'zod'
import { listOf } from '../../kernel/contract/answers.ts'
import type { Caller } from '../../kernel/contract/caller.ts'
import { ADMINS, OVERSEERS } from '../../adapters/http/access.ts'
import { endpoint, type Endpoint } from '../../adapters/http/endpoint.ts'
import { changeHubKey, readHubKeys, type HubKeyDeps } from './hub-key.ts'
import { DecisionsBody, HubKeysAnswer, NodeAnswer, NodeOutcome, NodeRequest, WordsAnswer } from './hub.ts'
import type { NodesSeen } from './nodes-seen.ts'
import { readNodes, type ReadNodesDeps } from './read-nodes.ts'
import { takeOutcome, type TakeOutcomeDeps } from './take-outcome.ts'
import { takeRequest, type TakeRequestDeps } from './take-request.ts'
import { waitForDecisions, type WaitForDecisionsDeps } from './wait-for-decisions.ts'

export type HubPorts = TakeRequestDeps &
  TakeOutcomeDeps &
  WaitForDecisionsDeps &
  HubKeyDeps &
  Omit<ReadNodesDeps, 'seen'> & { readonly nodesSeen: NodesSeen }

const NODES = ['node'] as const
const RotateBody = z.strictObject({ step: z.enum(['prepare', 'activate']) })

/** Requests of nodes to their hub, and the list of nodes for people. */
export function endpoints(k: HubPorts): readonly Endpoint[] {
  const noted = (node: Caller) => k.nodesSeen.note(node)
  const words = (said: readonly string[]) => ({ words: said })
  return [
    endpoint({
      at: 'POST /v1/hub/requests',
      access: NODES,
      says: 'A node asks for a decision about a held call; the answer is signed',
      body: NodeRequest,
      answers: WordsAnswer,
      run: (node, { body }) => takeRequest(k, noted(node), body),
      shows: words,
    }),
    endpoint({
      at: 'POST /v1/hub/outcomes',
      access: NODES,
      says: 'A node reports how a call ended',
      body: NodeOutcome,
      answers: WordsAnswer,
      run: (node, { body }) => takeOutcome(k, noted(node), body),
      shows: words,
    }),
    endpoint({
      at: 'POST /v1/hub/decisions',
      access: NODES,
      says: 'The signed decisions about requests of this node; waits up to `wait_s` seconds for one',
      keeps_keys: true,
      body: DecisionsBody,
      answers: WordsAnswer,
      run: (node, { body }) => waitForDecisions(k, noted(node), body),
      shows: words,
    }),
    endpoint({
      at: 'GET /v1/hub/key',
      access: [...NODES, ...OVERSEERS],
      says: 'The public keys with which this hub signs',
      answers: HubKeysAnswer,
      run: (caller) => readHubKeys(k, caller),
    }),
    endpoint({
      at: 'POST /v1/hub/key',
      access: ADMINS,
      says: 'Prepare the next signing key of this hub, or activate it',
      body: RotateBody,
      answers: HubKeysAnswer,
      run: (caller, { body }) => changeHubKey(k, caller, body.step),
    }),
    endpoint({
      at: 'GET /v1/hub/nodes',
      access: OVERSEERS,
      says: 'The nodes of this hub, and how many of their calls wait for a decision',
      answers: listOf(NodeAnswer),
      run: (caller) => readNodes({ ...k, seen: k.nodesSeen }, caller),
      shows: (items) => ({ items }),
    }),
  ]
}
