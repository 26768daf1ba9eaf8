import { CSRF_HEADER, LOGIN_COOKIE, LOGIN_LIMITS } from '../../contract/login.ts'

type Headers = (name: string) => string | undefined

/** Cookies are shared between ports, so each gate on a machine uses its own cookie name. */
export function cookieName(host: string | undefined): string {
  const port = /:(\d+)$/.exec(host ?? '')?.[1]
  return port === undefined ? LOGIN_COOKIE : `${LOGIN_COOKIE}_${port}`
}

/** The secret in the cookie of this gate. If it is present twice, somebody else may have set one, so both are ignored. */
export function loginSecret(header: Headers): string | undefined {
  const name = cookieName(header('host'))
  const found = (header('cookie') ?? '').split(';').flatMap((pair) => {
    const [key, value, ...more] = pair.trim().split('=')
    return key === name && value !== undefined && more.length === 0 ? [value] : []
  })
  return found.length === 1 && /^[\w-]{20,200}$/.test(found[0] ?? '') ? found[0] : undefined
}

/** If `secret` is undefined, the cookie is removed. */
export function loginCookie(host: string | undefined, secret: string | undefined, isSecure: boolean): string {
  const age = secret === undefined ? 0 : Math.floor(LOGIN_LIMITS.longest_ms / 1000)
  const secure = isSecure ? '; Secure' : ''
  return `${cookieName(host)}=${secret ?? ''}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${age}${secure}`
}

/** Whether the request comes from our own page: browsers send `Origin` with every request that changes something. */
export function isOwnOrigin(header: Headers): boolean {
  const site = header('sec-fetch-site')
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false
  const origin = header('origin')
  return origin === undefined || URL.parse(origin)?.host === header('host')?.toLowerCase()
}

export const csrfHeader = (header: Headers): string | undefined => header(CSRF_HEADER)
