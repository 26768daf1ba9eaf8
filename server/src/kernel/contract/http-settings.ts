import { z } from 'zod'

/** The protocol sets these, or they would change where a request goes. */
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

/** Whether only the gate may set a header. */
export const isGateHeader = (name: string) =>
  OUR_HEADERS.has(name.toLowerCase()) || name.toLowerCase().startsWith('mcp-')

export const HeaderName = z
  .string()
  .regex(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/, 'not the name of a header')
  .refine((name) => !isGateHeader(name), 'this header is set by the gate')

/** Credentials in a URL end up in logs and errors; use `headers` or `oauth` instead. */
export const HttpUrl = z
  .url({ protocol: /^https?$/, error: 'write an address that starts with http:// or https://', abort: true })
  .refine(
    (text) => /^https?:\/\/[^/?#@]+(?:[/?][^#]*)?$/.test(text),
    'an address without credentials and without a fragment',
  )

/** An eavesdropper could read the secret, except on this machine. */
export const SafeUrl = HttpUrl.refine(
  (text) => text.startsWith('https:') || /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?:[:/?]|$)/.test(text),
  'secrets are only sent over https:// or to this machine',
)

/** OAuth 2 client credentials. The secret is a reference or the secret itself. */
export const OAuthSettings = z.strictObject({
  token_url: SafeUrl.describe('The address of the token endpoint.'),
  client_id: z.string().min(1).describe('The client id.'),
  client_secret: z.string().min(1).describe('The client secret, as `env:NAME` or `file:PATH`.'),
  scope: z.string().min(1).optional().describe('The scopes to request.'),
})
export type OAuthSettings = z.infer<typeof OAuthSettings>

/**
 * How people log in at this server in a browser (OAuth 2.1 with PKCE). Only details are set here: people can log in at any server
 * that asks for it, with or without this section.
 */
export const LoginSettings = z
  .strictObject({
    per: z
      .enum(['gate', 'user'])
      .default('gate')
      .describe('`gate`: one login for everyone. `user`: one login per user.'),
    /** Requested instead of what the server says it needs. Words separated by spaces. */
    scope: z
      .string()
      .regex(/^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/, 'words with one space between them')
      .optional()
      .describe('The scopes to request.'),
    issuer: SafeUrl.optional().describe(
      'The only authorization server that is accepted. It may have a private address.',
    ),
    /** A client that was registered by hand, for an authorization server without dynamic registration. */
    client_id: z.string().min(1).optional().describe('The id of a client that is already registered there.'),
    client_secret: z.string().min(1).optional().describe('Its secret, as `env:NAME` or `file:PATH`.'),
  })
  .refine(({ client_id, client_secret }) => client_secret === undefined || client_id !== undefined, {
    message: '`client_secret` needs a `client_id`',
    path: ['client_id'],
  })
export type LoginSettings = z.infer<typeof LoginSettings>
