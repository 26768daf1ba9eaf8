import { packageVersion } from '../server/src/main/package-version.ts'
import { GUESTS } from '../server/src/main/guests.ts'
import { refuse } from '../server/src/kernel/contract/problems.ts'
import type { Access } from '../server/src/adapters/http/access.ts'
import { allEndpoints } from '../server/src/adapters/http/all-endpoints.ts'
import { httpApp, openapiEndpoint } from '../server/src/adapters/http/app.ts'
import type { App } from '../server/src/adapters/http/door.ts'
import type { BoundPorts } from '../server/src/kernel/ports/bound-ports.ts'

const absent = (): never => {
  throw new Error('there is no gate behind this door')
}
/** Every part of it is there, and none can be used. */
const nothing: object = new Proxy(absent, { get: () => nothing })
const PORTS = new Proxy(
  {},
  { get: (_, name) => (name === 'metrics' ? { open: false, scrape: absent } : nothing) },
) as BoundPorts

const declared = await allEndpoints(GUESTS, PORTS, PORTS)
/** Every endpoint of the HTTP listener, as declared. */
export const ENDPOINTS = [...declared, openapiEndpoint(absent)]
/** Kinds of caller by `METHOD path`. A route that is not here does not exist (test/security/access.test.ts). */
export const ACCESS: ReadonlyMap<string, Access> = new Map(ENDPOINTS.map(({ at, access }) => [at, access]))
/** The routes that can give permission in somebody's name, and so require the proof of the person. */
export const GRANTS: ReadonlySet<string> = new Set(
  ENDPOINTS.flatMap(({ at, grants }) => (grants === undefined ? [] : [at])),
)

/** The HTTP door without a gate, for scripts that only need its list of routes. */
export const appWithoutGate = (): App =>
  httpApp({
    endpoints: declared,
    version: packageVersion(),
    authenticate: async () => refuse('auth.missing'),
    claimKey: absent,
    noteRefusal: absent,
    enter: absent,
    login: {},
    streams: { stopping: new AbortController().signal },
    newTrace: () => '',
    hosts: [],
    onIncident: (error) => (error instanceof Error ? (error.stack ?? '') : String(error)),
  })
