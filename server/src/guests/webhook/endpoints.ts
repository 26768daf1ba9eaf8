import { CallbackAnswer } from '../../kernel/contract/answers.ts'
import { endpoint, type Endpoint } from '../../adapters/http/endpoint.ts'
import { takeCallback, type CallbackDeps } from './take-callback.ts'

/** Receives answers to webhooks. Their signature is the credential. */
export const endpoints = (k: CallbackDeps): readonly Endpoint[] => [
  endpoint({
    at: 'POST /v1/channels/{name}/callback',
    access: 'anyone',
    says: "A signed decision, as the channel's approver",
    answers: CallbackAnswer,
    run: async (_, { params, header, text }) =>
      takeCallback(k, {
        channel: params.name,
        id: header('webhook-id') ?? '',
        timestamp: header('webhook-timestamp') ?? '',
        signature: header('webhook-signature') ?? '',
        body: await text(),
      }),
    shows: ({ approval_id, state, decisions }) => ({ approval_id, state, decisions: decisions.length }),
  }),
]
