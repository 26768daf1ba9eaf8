import { z } from 'zod'
import { CallerKind, PROGRAM_KINDS, FlowRole } from './caller.ts'
import { HttpUrl } from './http-settings.ts'

/** How far the clock of a token's issuer may be from ours. */
export const TOKEN_TOLERANCE_S = 5

/** How many wrong credentials an address may send before the others are answered with 429. A valid one is never limited. */
const Failures = z.strictObject({
  per_address: z.int().min(1).max(1_000_000).default(30).describe('Maximum number from one address within the window.'),
  overall: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(1_000)
    .describe('Maximum number from all addresses together within the window.'),
  window_s: z.int().min(1).max(86_400).default(60).describe('The length of the window, in seconds.'),
})

/** Limits for unauthenticated clients of the listener. */
export const ListenLimits = z.strictObject({
  /** Open at once; beyond it the connection that was idle longest is closed. */
  connections: z.int().min(1).max(1_000_000).default(4_096).describe('Maximum number of open connections.'),
  headers_ms: z
    .int()
    .min(100)
    .max(600_000)
    .default(10_000)
    .describe('How long a client may take to send the headers of a request.'),
  request_ms: z
    .int()
    .min(100)
    .max(600_000)
    .default(30_000)
    .describe('How long a client may take to send a whole request.'),
  header_bytes: z.int().min(1_024).max(1_048_576).default(16_384).describe('Maximum size of the headers of a request.'),
})
export type ListenLimits = z.infer<typeof ListenLimits>

/** An IPv4 or IPv6 address, or a network: `10.0.0.0/8`. */
const AddressOrNetwork = z.union(
  [z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()],
  'write an IP address or a network such as 10.0.0.0/8',
)

/** Proxies and balancers in front of the gate that report the address of a client. */
export const TrustedProxies = z.strictObject({
  addresses: z
    .array(AddressOrNetwork)
    .max(100)
    .default([])
    .describe(
      'Their own addresses or networks (`10.0.0.7`, `10.0.0.0/8`). The header is ignored in requests from any other address, so with an empty list it is never read.',
    ),
  /** The header that they write. Only this one is read: a proxy passes the other on as the client sent it. */
  header: z
    .enum(['x-forwarded-for', 'forwarded'])
    .default('x-forwarded-for')
    .describe(
      'The header that they append the address to: `x-forwarded-for`, or `forwarded` (RFC 7239). The other one is never read.',
    ),
})
export type TrustedProxies = z.infer<typeof TrustedProxies>

/** A claim by its name, or the path to a nested one: `[realm_access, roles]`. */
const Claim = z.union([z.string().min(1).max(200), z.array(z.string().min(1).max(200)).min(1).max(8)])

/** An eavesdropper could insert their own keys, except on this machine. */
const IssuerUrl = HttpUrl.refine(
  (text) => text.startsWith('https:') || /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?:[:/?]|$)/.test(text),
  'an issuer must use https://, or be on this machine',
)

/** An issuer of JWTs. Issuer and audience are both required: a token for another audience is not accepted. */
const IssuerSettings = z.strictObject({
  /** Part of the ids of its callers: `approver:corp/ana`. */
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,15}$/, 'a name has 1 to 16 lower-case letters, digits and `-`')
    .describe('A short name for this issuer.'),
  issuer: IssuerUrl.describe('The issuer, exactly as its tokens name it.'),
  audience: z.string().min(1).max(500).describe('The audience that a token must have.'),
  /** Where its keys are; found by OpenID Connect Discovery if omitted. */
  jwks_uri: IssuerUrl.optional().describe(
    'The address of its keys, if it differs from the one in its discovery document.',
  ),
  user: Claim.default('sub').describe('The claim that contains the user name.'),
  user_prefix: z
    .string()
    .regex(/^[^\s\p{C}]{0,31}$/u)
    .default('')
    .describe('A prefix for user names, so that users of two issuers cannot be confused.'),
  kinds: z
    .array(
      z.strictObject({
        claim: Claim.describe('The claim to check.'),
        has: z.string().min(1).max(500).describe('The value it must have or contain.'),
        kind: CallerKind.describe('The kind of caller that the user becomes.'),
      }),
    )
    .min(1)
    .max(100)
    .describe('Which claims make which kind of caller; if several match, an agent or node comes first.'),
  /**
   * The OAuth clients that people use themselves. A token of any other client is an agent's, whatever its claims say about its user.
   * Required if `kinds` contains a kind of person.
   */
  people_clients: z
    .array(z.string().min(1).max(500))
    .max(100)
    .optional()
    .describe('OAuth clients that people use themselves; required if `kinds` has people.'),
  flow_roles: z
    .array(
      z.strictObject({
        claim: Claim.describe('The claim to check.'),
        has: z.string().min(1).max(500).describe('The value it must have or contain.'),
        role: FlowRole.describe('The role that the user has in flows.'),
      }),
    )
    .max(100)
    .default([])
    .describe('Which claims give a user a role in flows; the highest that fits applies.'),
  /** Lets people log in at the console with it. Its redirect URL is `<the gate's address>/v1/login/oidc/callback`. */
  login: z
    .strictObject({
      client_id: z.string().min(1).max(500).describe('The client that you registered for the gate at the issuer.'),
      client_secret: z
        .string()
        .regex(/^(?:env|file):./, 'secrets are named: env:NAME or file:PATH')
        .optional()
        .describe('Its secret, as `env:NAME` or `file:PATH`; none for a public client.'),
      scope: z.string().min(1).max(500).default('openid email profile').describe('The scopes to ask for.'),
    })
    .optional()
    .describe('Lets people log in at the console with this issuer.'),
})
export const OidcIssuer = IssuerSettings.superRefine(({ audience, kinds, people_clients, login }, context) => {
  const hasPeople = kinds.some(({ kind }) => !PROGRAM_KINDS.includes(kind))
  if (hasPeople && people_clients === undefined)
    context.addIssue({
      code: 'custom',
      path: ['people_clients'],
      message:
        'list the OAuth clients that people use themselves, for example [sluice-cli]; tokens of all other clients are for agents, and [] means that people only log in at the console',
    })
  // The audience of an ID token is its client, so ID tokens of this client would be sent here as access tokens.
  if (people_clients?.includes(audience) === true || login?.client_id === audience)
    context.addIssue({
      code: 'custom',
      path: ['audience'],
      message:
        'is also a client: register the gate as an API of its own, so that ID tokens of the client are not for it',
    })
})
export type OidcIssuer = z.infer<typeof OidcIssuer>

/** Who may use the gate over the network, besides holders of its own keys. */
export const Auth = z.strictObject({
  failures: Failures.prefault({}).describe(
    'How many failed logins are allowed before further ones are answered with 429 for a while. Valid credentials always work.',
  ),
  oidc: z
    .array(OidcIssuer)
    .max(16)
    .refine((all) => new Set(all.map(({ issuer }) => issuer)).size === all.length, 'this issuer is listed twice')
    .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, 'two issuers have the same name')
    .default([])
    .describe('OpenID Connect issuers whose tokens are accepted.'),
})
export type Auth = z.infer<typeof Auth>
