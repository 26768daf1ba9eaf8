import type { RpcId } from './rpc.ts'

/** A request that is being answered. */
export type UnderWay = {
  readonly id: RpcId
  /** Who made it. Only asked when somebody cancels. */
  clientKey(): string
  cancel(): void
  /** Whether it must be told when its answer takes long. */
  readonly tells_long: boolean
  /** Its answer takes long. Called once. */
  becomeLong(): void
  /** Its index in the list and its start time, set by the list. */
  place: number
  since: number
}

/** The requests in progress. A later message can cancel one, and requests that take long are told. */
export type CallsUnderWay = {
  /** Remembers a request until `end` is called for it. */
  begin(request: UnderWay): void
  end(request: UnderWay): void
  /** Cancels the request that this client made under this id. Returns false if this process is not answering such a request. */
  cancel(client: string, id: RpcId): boolean
}

/** Uses a list instead of a map, and one timer instead of one per request, so that a request allocates little. */
export function createCallsUnderWay(long_ms: number): CallsUnderWay {
  const places: (UnderWay | undefined)[] = []
  const free: number[] = []
  let timer: NodeJS.Timeout | undefined

  /** Tells the requests that take long, and schedules the next check. */
  function sweep(): void {
    timer = undefined
    const now = performance.now()
    let next = Infinity
    for (const request of places) {
      if (request?.tells_long !== true || request.since === TOLD) continue
      const due = request.since + long_ms
      if (due > now) next = Math.min(next, due)
      else {
        request.since = TOLD
        request.becomeLong()
      }
    }
    if (next < Infinity) timer ??= setTimeout(sweep, Math.ceil(next - now)).unref()
  }

  return {
    begin(request) {
      request.place = free.pop() ?? places.length
      request.since = performance.now()
      places[request.place] = request
      if (request.tells_long) timer ??= setTimeout(sweep, long_ms).unref()
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

const TOLD = -1
