import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider, type Configuration } from 'oidc-provider'

export type Issuer = {
  readonly url: string
  /** What was asked of the token endpoint, as it came. */
  readonly tokenRequests: { readonly authorization: string | undefined; readonly form: string }[]
  stop(): Promise<void>
}

export type IssuerClient = { readonly client_id: string; readonly client_secret: string; readonly redirect_uri: string }

/**
 * A real OpenID provider. A person is in the group that their name ends with: `ana.approvers`. Clients that ask for the resource `api` get
 * access tokens that are JWTs for it.
 */
export async function startIssuer(clients: (url: string) => readonly IssuerClient[], api?: string): Promise<Issuer> {
  const server: Server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  // Cookies ignore ports, so the issuer has another host name than the gate, as in production.
  const url = `http://localhost:${(server.address() as AddressInfo).port}`
  const provider = new Provider(url, {
    clients: clients(url).map(({ redirect_uri, ...client }) => ({
      ...client,
      redirect_uris: [redirect_uri],
      response_types: ['code'],
      grant_types: ['authorization_code', ...(api === undefined ? [] : ['client_credentials' as const])],
    })),
    ...(api === undefined ? {} : tokensFor(api)),
    claims: { openid: ['sub', 'groups'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: false,
    findAccount: (_, sub) => ({
      accountId: sub,
      claims: () => ({
        sub,
        groups: [sub.split('.').at(-1) ?? ''],
        email: `${sub}@example.com`,
        email_verified: true,
      }),
    }),
    cookies: { keys: ['a key for the test alone'] },
    pkce: { required: () => true },
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600, AuthorizationCode: 60 },
  })
  const tokenRequests: Issuer['tokenRequests'] = []
  const answer = provider.callback()
  server.on('request', (request, response) => {
    if (request.url?.startsWith('/token') === true) {
      const received = { authorization: request.headers.authorization, form: '' }
      tokenRequests.push(received)
      request.on('data', (part: Buffer) => (received.form += part.toString()))
    }
    void answer(request, response)
  })
  return {
    url,
    tokenRequests,
    async stop() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

function tokensFor(api: string): Configuration {
  return {
    features: {
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => api,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({ scope: 'call', audience: api, accessTokenFormat: 'jwt' }),
      },
    },
    scopes: ['openid', 'call'],
    extraTokenClaims: (_, token) =>
      'accountId' in token ? { groups: [token.accountId.split('.').at(-1) ?? ''] } : { groups: ['approvers'] },
  }
}
