import { CSRF_HEADER, LOGIN_COOKIE, LOGIN_LIMITS } from '../../contract/login.ts'

type Headers = (name: string) => string | undefined

/** Cookies know no ports: gates on one machine keep theirs apart by name. */
export function cookieName(host: string | undefined): string {
  const port = /:(\d+)$/.exec(host ?? '')?.[1]
  return port === undefined ? LOGIN_COOKIE : `${LOGIN_COOKIE}_${port}`
}

/** The secret in the cookie of this gate. One that is there twice was set by somebody else too, and counts as none. */
export function loginSecret(header: Headers): string | undefined {
  const name = cookieName(header('host'))
  const found = (header('cookie') ?? '').split(';').flatMap((pair) => {
    const [key, value, ...more] = pair.trim().split('=')
    return key === name && value !== undefined && more.length === 0 ? [value] : []
  })
  return found.length === 1 && /^[\w-]{20,200}$/.test(found[0] ?? '') ? found[0] : undefined
}

/** `secret` undefined takes the cookie away. */
export function loginCookie(host: string | undefined, secret: string | undefined, isSecure: boolean): string {
  const age = secret === undefined ? 0 : Math.floor(LOGIN_LIMITS.longest_ms / 1000)
  const secure = isSecure ? '; Secure' : ''
  return `${cookieName(host)}=${secret ?? ''}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${age}${secure}`
}

/** The page that asks is our own: browsers say of every request that changes something where it comes from. */
export function isOwnOrigin(header: Headers): boolean {
  const site = header('sec-fetch-site')
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false
  const origin = header('origin')
  return origin === undefined || URL.parse(origin)?.host === header('host')?.toLowerCase()
}

export const csrfHeader = (header: Headers): string | undefined => header(CSRF_HEADER)
