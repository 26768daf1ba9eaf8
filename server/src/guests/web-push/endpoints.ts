import { PushAnswer, PushBody, PushSubscriptionAnswer } from '../../kernel/contract/web-push.ts'
import { DECIDERS } from '../../adapters/http/access.ts'
import { endpoint, type Endpoint } from '../../adapters/http/endpoint.ts'
import { listPushes, removePush, subscribePush, type PushPorts } from './web-push-use.ts'

/** Web push subscriptions for new requests. */
export const endpoints = (k: PushPorts): readonly Endpoint[] => [
  endpoint({
    at: 'GET /v1/push',
    access: DECIDERS,
    says: 'Your browsers that are notified of new requests, and the key to subscribe with',
    answers: PushAnswer,
    run: (caller) => listPushes(k, caller),
  }),
  endpoint({
    at: 'POST /v1/push',
    access: DECIDERS,
    says: 'Notify this browser of new requests; notifications contain no argument values',
    body: PushBody,
    answers: PushSubscriptionAnswer,
    run: (caller, { body }) => subscribePush(k, caller, body),
  }),
  endpoint({
    at: 'DELETE /v1/push/{push_id}',
    access: DECIDERS,
    says: 'Stop notifying one of your browsers',
    answers: PushSubscriptionAnswer,
    run: (caller, { params }) => removePush(k, caller, params.push_id),
  }),
]
