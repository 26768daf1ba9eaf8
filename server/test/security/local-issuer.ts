import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, exportSPKI, generateKeyPair, SignJWT, type JWTPayload } from 'jose'

export type LocalIssuer = {
  readonly url: string
  /** Requests since the start, by path. */
  readonly asked: Map<string, number>
  /** False answers of the issuer, by path. */
  readonly instead: Map<string, (response: ServerResponse) => void>
  /** Adds a key pair and signs with it from now on. */
  rotate(): Promise<void>
  sign(claims: JWTPayload, header?: { readonly typ?: string }): Promise<string>
  /** The public key as text, which a careless verifier takes for a shared secret. */
  publicPem(): Promise<string>
  close(): Promise<void>
}

/** A real OIDC issuer on this machine: discovery, keys, and tokens signed with jose. */
export async function localIssuer(): Promise<LocalIssuer> {
  const asked = new Map<string, number>()
  const instead = new Map<string, (response: ServerResponse) => void>()
  const pairs: { kid: string; alg: string; pair: Awaited<ReturnType<typeof generateKeyPair>> }[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    asked.set(path, (asked.get(path) ?? 0) + 1)
    void answer(path, response)
  })
  async function answer(path: string, response: ServerResponse): Promise<void> {
    const other = instead.get(path)
    if (other !== undefined) return other(response)
    const body =
      path === '/.well-known/openid-configuration'
        ? { issuer: url, jwks_uri: `${url}/jwks` }
        : {
            keys: await Promise.all(
              pairs.map(async ({ kid, alg, pair }) => ({ ...(await exportJWK(pair.publicKey)), kid, alg })),
            ),
          }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  async function rotate(alg = 'ES256'): Promise<void> {
    pairs.push({ kid: `k${pairs.length}`, alg, pair: await generateKeyPair(alg, { extractable: true }) })
  }
  await rotate()
  const newest = () => {
    const found = pairs.at(-1)
    if (found === undefined) throw new Error('there is no key')
    return found
  }
  return {
    url,
    asked,
    instead,
    rotate,
    sign: (claims, header = {}) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: newest().alg, kid: newest().kid, ...header })
        .sign(newest().pair.privateKey),
    publicPem: () => exportSPKI(newest().pair.publicKey),
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
