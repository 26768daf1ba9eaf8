import { createLocalJWKSet, type JSONWebKeySet, type JWTHeaderParameters } from 'jose'

/** Keys older than this are fetched again. */
export const FRESH_MS = 600_000
/** If a token names an unknown key, the issuer is asked again at the earliest this long after the last fetch. */
export const ASK_AGAIN_MS = 30_000
const TIMEOUT_MS = 5_000
const MOST_BYTES = 262_144

export type IssuerKeys = {
  /** The key for a token's header; `unavailable` if the issuer could not be reached, undefined for an unknown one. */
  keyFor(header: JWTHeaderParameters): Promise<CryptoKey | 'unavailable' | undefined>
}

type Finder = ReturnType<typeof createLocalJWKSet>

/**
 * The public keys of one issuer, fetched when the first token arrives. However many tokens arrive, at most one fetch is in
 * progress, and after a failure or an unknown key the issuer is not asked again for a while.
 */
export function issuerKeys(
  { issuer, jwks_uri }: { readonly issuer: string; readonly jwks_uri?: string | undefined },
  clock: () => number,
): IssuerKeys {
  let known: { readonly find: Finder; readonly at: number } | undefined
  let asked = -Infinity
  let running: Promise<void> | undefined

  async function fetchKeys(): Promise<void> {
    asked = clock()
    const uri = jwks_uri ?? (await discover(issuer))
    const set = uri === undefined ? undefined : await fetchJson(uri)
    const find = findIn(set)
    if (find !== undefined) known = { find, at: clock() }
  }

  function refresh(): Promise<void> {
    running ??= fetchKeys().finally(() => (running = undefined))
    return running
  }

  const isFresh = () => known !== undefined && clock() - known.at < FRESH_MS
  const mayAsk = () => running !== undefined || clock() - asked >= ASK_AGAIN_MS

  return {
    async keyFor(header) {
      if (!isFresh() && mayAsk()) await refresh()
      if (known === undefined || !isFresh()) return 'unavailable'
      const found = await keyIn(known.find, header)
      if (found !== undefined || !mayAsk()) return found
      await refresh()
      return keyIn(known.find, header)
    },
  }
}

async function keyIn(find: Finder, header: JWTHeaderParameters): Promise<CryptoKey | undefined> {
  try {
    return await find(header)
  } catch {
    return undefined
  }
}

function findIn(set: unknown): Finder | undefined {
  try {
    return createLocalJWKSet(set as JSONWebKeySet)
  } catch {
    return undefined
  }
}

/** OpenID Connect Discovery. A document of another issuer is rejected. */
export async function discovered(issuer: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  const found = await fetchJson(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)
  if (typeof found !== 'object' || found === null) return undefined
  const document = found as Readonly<Record<string, unknown>>
  return document['issuer'] === issuer ? document : undefined
}

/** A URL in a discovery document. If the issuer uses TLS, so must the URL. */
export function addressIn(issuer: string, value: unknown): string | undefined {
  if (typeof value !== 'string' || !URL.canParse(value)) return undefined
  return value.startsWith('https:') || issuer.startsWith('http:') ? value : undefined
}

const discover = async (issuer: string): Promise<string | undefined> =>
  addressIn(issuer, (await discovered(issuer))?.['jwks_uri'])

/** Undefined for anything but a small JSON answer in time. Redirects are not followed. */
export async function fetchJson(url: string, init: RequestInit = {}): Promise<unknown> {
  try {
    const answer = await fetch(url, {
      ...init,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: { accept: 'application/json', ...(init.headers as Record<string, string> | undefined) },
    })
    if (!answer.ok || answer.body === null) {
      await answer.body?.cancel()
      return undefined
    }
    const chunks: Uint8Array[] = []
    let bytes = 0
    for await (const chunk of answer.body) {
      bytes += chunk.byteLength
      if (bytes > MOST_BYTES) return undefined
      chunks.push(chunk)
    }
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch {
    return undefined
  }
}
