import { CSRF_HEADER, LOGIN_COOKIE, LOGIN_LIMITS } from '../../kernel/identity/login.ts'

type Headers = (name: string) => string | undefined

/** Whether browsers reach the gate over TLS at this host. */
const isSecure = (host: string | undefined, publicUrl: string | undefined): boolean =>
  publicUrl?.startsWith('https:') === true && URL.parse(publicUrl)?.host === host?.toLowerCase()

/**
 * Cookies are shared between ports, so each gate on a machine uses its own cookie name. Over TLS its prefix makes sure that no page
 * without TLS and no other host of the domain can set it.
 */
export function cookieName(host: string | undefined, publicUrl?: string): string {
  const port = /:(\d+)$/.exec(host ?? '')?.[1]
  const name = port === undefined ? LOGIN_COOKIE : `${LOGIN_COOKIE}_${port}`
  return isSecure(host, publicUrl) ? `__Host-${name}` : name
}

/** The secret in the cookie of this gate. If it is present twice, somebody else may have set one, so both are ignored. */
export function loginSecret(header: Headers, publicUrl: string | undefined): string | undefined {
  const name = cookieName(header('host'), publicUrl)
  const found = (header('cookie') ?? '').split(';').flatMap((pair) => {
    const [key, value, ...more] = pair.trim().split('=')
    return key === name && value !== undefined && more.length === 0 ? [value] : []
  })
  return found.length === 1 && /^[\w-]{20,200}$/.test(found[0] ?? '') ? found[0] : undefined
}

/** If `secret` is undefined, the cookie is removed. */
export function loginCookie(host: string | undefined, secret: string | undefined, publicUrl?: string): string {
  const age = secret === undefined ? 0 : Math.floor(LOGIN_LIMITS.longest_ms / 1000)
  const secure = isSecure(host, publicUrl) ? '; Secure' : ''
  return `${cookieName(host, publicUrl)}=${secret ?? ''}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${age}${secure}`
}

/** Whether the request comes from our own page: browsers send `Origin` with every request that changes something. */
export function isOwnOrigin(header: Headers): boolean {
  const site = header('sec-fetch-site')
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false
  const origin = header('origin')
  return origin === undefined || URL.parse(origin)?.host === header('host')?.toLowerCase()
}

export const csrfHeader = (header: Headers): string | undefined => header(CSRF_HEADER)
