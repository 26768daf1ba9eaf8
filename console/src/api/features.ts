import { queryOptions } from '@tanstack/react-query'
import type { AnswerOf } from '../../../server/src/client/client.ts'
import { gate } from './client.ts'

export type Features = AnswerOf<'GET /v1/features'>

const LOOK_EVERY_MS = 10_000

/** What this gate can do. While something is off, the page notices when it is switched on. */
export const featuresQuery = queryOptions({
  queryKey: ['features'],
  queryFn: ({ signal }) => gate.ask('GET /v1/features', { signal }),
  staleTime: LOOK_EVERY_MS,
  refetchInterval: ({ state }) =>
    state.data?.flows.runs.on === true && state.data.flows.execution.on ? false : LOOK_EVERY_MS,
})
