import type { RpcId } from './rpc.ts'

/** A request that is being answered. */
export type RequestInProgress = {
  readonly id: RpcId
  /** Identifies the client that made it. Computed only when a request is cancelled. */
  clientKey(): string
  cancel(): void
  /** Whether its answer becomes a stream if it takes long. */
  readonly can_stream: boolean
  /** Turns the answer into a stream. Called once, when the answer takes long. */
  becomeStream(): void
  /** Its index in the list and its start time, set by the list. */
  place: number
  since: number
}

/** The requests in progress. A later message can cancel one, and answers that take long become streams. */
export type RequestsInProgress = {
  /** Remembers a request until `end` is called for it. */
  begin(request: RequestInProgress): void
  end(request: RequestInProgress): void
  /** Cancels the request that this client made under this id. Returns false if this process is not answering such a request. */
  cancel(client: string, id: RpcId): boolean
}

/** Uses a list instead of a map, and one timer instead of one per request, so that a request allocates little. */
export function createRequestsInProgress(long_ms: number): RequestsInProgress {
  const places: (RequestInProgress | undefined)[] = []
  const free: number[] = []
  let timer: NodeJS.Timeout | undefined

  /** Turns answers that take long into streams, and schedules the next check. */
  function sweep(): void {
    timer = undefined
    const now = performance.now()
    let next = Infinity
    for (const request of places) {
      if (request?.can_stream !== true || request.since === STREAMED) continue
      const due = request.since + long_ms
      if (due > now) next = Math.min(next, due)
      else {
        request.since = STREAMED
        request.becomeStream()
      }
    }
    if (next < Infinity) timer ??= setTimeout(sweep, Math.ceil(next - now)).unref()
  }

  return {
    begin(request) {
      request.place = free.pop() ?? places.length
      request.since = performance.now()
      places[request.place] = request
      if (request.can_stream) timer ??= setTimeout(sweep, long_ms).unref()
    },
    end(request) {
      if (places[request.place] !== request) return
      places[request.place] = undefined
      free.push(request.place)
    },
    cancel(client, id) {
      const meant = places.filter((one) => one !== undefined && one.id === id && one.clientKey() === client)
      // Two clients without sessions may share a key and use the same ids. It is not known which one was meant, so neither is cancelled.
      if (meant.length === 1) meant[0]?.cancel()
      return meant.length > 0
    },
  }
}

const STREAMED = -1
