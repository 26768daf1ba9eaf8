import type { MiddlewareHandler } from 'hono'
import { problem } from '../../contract/problems.ts'
import { problemResponse } from './problem.ts'
import type { Door } from './route.ts'

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/**
 * A web page on another host can make a browser send requests here, under that host's name (DNS rebinding) or its own (`Origin`).
 * On the network listener only our own names are answered; the data folder's socket is out of a browser's reach.
 */
export function knownHost(names: readonly string[]): MiddlewareHandler<Door> {
  const known = new Set([...LOOPBACK, ...names.map((name) => name.toLowerCase())])
  return async (c, next) => {
    if (c.env.local) return next()
    const { host, origin } = c.req.header()
    const isForeign =
      !known.has(hostnameOf(`http://${host ?? ''}`)) || (origin !== undefined && !known.has(hostnameOf(origin)))
    return isForeign ? problemResponse(problem('request.foreign_host'), c.get('trace')) : next()
  }
}

function hostnameOf(url: string): string {
  return URL.parse(url)?.hostname.toLowerCase() ?? ''
}
