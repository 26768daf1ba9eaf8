import type { IncomingMessage, ServerResponse } from 'node:http'
import { problem } from '../../kernel/contract/problems.ts'
import type { DoorListener } from './listen.ts'
import { problemBody } from './problem.ts'

type DemandSetup = {
  readonly newTrace: () => string
  readonly onIncident: (error: unknown, trace: string) => string
}

/**
 * A door that handles every request and is loaded with the first one, so that an idle gate does not keep its code in memory.
 * Requests wait until it is loaded. If loading fails they get an internal error, and the next request tries again.
 */
export function doorOnDemand(load: () => Promise<DoorListener>, deps: DemandSetup): DoorListener {
  let door: DoorListener | undefined
  let loading: Promise<DoorListener> | undefined

  async function handOver(request: IncomingMessage, response: ServerResponse, local: boolean): Promise<void> {
    loading ??= load()
    try {
      door = await loading
    } catch (error) {
      loading = undefined
      return writeIncident(response, error, deps)
    }
    // The client may have disconnected in the meantime.
    if (!response.destroyed) door(request, response, local)
  }

  return (request, response, local) => {
    if (door !== undefined) return door(request, response, local)
    void handOver(request, response, local)
    return true
  }
}

function writeIncident(response: ServerResponse, error: unknown, { newTrace, onIncident }: DemandSetup): void {
  const trace = newTrace()
  const found = problem('internal', { incident: onIncident(error, trace) })
  response.writeHead(500, { 'content-type': 'application/problem+json', 'x-trace-id': trace })
  response.end(JSON.stringify(problemBody(found, trace)))
}
