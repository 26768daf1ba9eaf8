import { textsInSources } from '../../kernel/sessions/answer-texts.ts'
import { PEOPLE } from '../../adapters/http/access.ts'
import { endpoint, type Endpoint } from '../../adapters/http/endpoint.ts'
import { explainCall, type ExplainDeps } from './explain-call.ts'
import { WhyAnswer } from './why.ts'

export const endpoints = (k: ExplainDeps): readonly Endpoint[] => [
  endpoint({
    at: 'GET /v1/calls/{call_id}/why',
    access: PEOPLE,
    says: 'Where a call came from: what the user asked for, which other texts ask for it, and the source of each argument',
    query: ['session'],
    answers: WhyAnswer,
    run: (caller, { params }) => explainCall(k, caller, params.call_id),
    reads: ({ call_id, values }) =>
      textsInSources(
        values.flatMap(({ source }) => source ?? []),
        { of_call: call_id },
      ),
  }),
]
