import { z } from 'zod'

/** What these are is decided by the protocol, or they would change whom a request reaches. */
const OUR_HEADERS = new Set([
  'accept',
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'last-event-id',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Whether a header is the gate's own to set. */
export const isGateHeader = (name: string) =>
  OUR_HEADERS.has(name.toLowerCase()) || name.toLowerCase().startsWith('mcp-')

export const HeaderName = z
  .string()
  .regex(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/, 'not the name of a header')
  .refine((name) => !isGateHeader(name), 'this header is set by the gate')

/** Credentials in an address end up in logs and errors; `headers` or `oauth` is their place. */
export const HttpUrl = z
  .url({ protocol: /^https?$/, error: 'write an address that starts with http:// or https://', abort: true })
  .refine(
    (text) => /^https?:\/\/[^/?#@]+(?:[/?][^#]*)?$/.test(text),
    'an address without credentials and without a fragment',
  )

/** Whoever listens on the way reads the secret, except on this machine. */
export const SafeUrl = HttpUrl.refine(
  (text) => text.startsWith('https:') || /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?:[:/?]|$)/.test(text),
  'secrets are only sent over https:// or to this machine',
)

/** OAuth 2 client credentials. The secret is a reference or the secret itself. */
export const OAuthSettings = z.strictObject({
  token_url: SafeUrl,
  client_id: z.string().min(1),
  client_secret: z.string().min(1),
  scope: z.string().min(1).optional(),
})
export type OAuthSettings = z.infer<typeof OAuthSettings>

/**
 * How people log in at this server in a browser (OAuth 2.1 with PKCE). Only the details are set here: a server that asks for a
 * login is one that people can log in at, with or without this section.
 */
export const LoginSettings = z
  .strictObject({
    /** `gate`: one login for everybody. `user`: each user logs in, and a call uses the login of its own user and no other. */
    per: z.enum(['gate', 'user']).default('gate'),
    /** Asked for instead of what the server says it needs. Words with spaces between them. */
    scope: z
      .string()
      .regex(/^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/, 'words with one space between them')
      .optional(),
    /** The only authorization server that is accepted. It may have a private address. */
    issuer: SafeUrl.optional(),
    /** A client that was registered by hand, for an authorization server without dynamic registration. */
    client_id: z.string().min(1).optional(),
    /** `env:NAME` and `file:PATH` fetch the secret. */
    client_secret: z.string().min(1).optional(),
  })
  .refine(({ client_id, client_secret }) => client_secret === undefined || client_id !== undefined, {
    message: '`client_secret` needs a `client_id`',
    path: ['client_id'],
  })
export type LoginSettings = z.infer<typeof LoginSettings>
