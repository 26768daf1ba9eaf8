import type { Site } from '../../kernel/ports/keys.ts'
import type { LoginOptions } from './door.ts'

/** The origin of the page, from the host name of the request, which was already checked. */
export function siteOf(given: string | undefined, { publicUrl }: LoginOptions): Site {
  const host = given?.toLowerCase() ?? ''
  const url = publicUrl === undefined ? undefined : URL.parse(publicUrl)
  const scheme = url?.host === host ? url.protocol : 'http:'
  return { origin: `${scheme}//${host}`, host: host.replace(/:\d+$/, '') }
}
