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
  .url({ protocol: /^https?$/, error: 'an address that starts with http:// or https://', abort: true })
  .refine(
    (text) => /^https?:\/\/[^/?#@]+(?:[/?][^#]*)?$/.test(text),
    'an address without credentials and without a fragment',
  )

/** Whoever listens on the way reads the secret, except on this machine. */
export const SafeUrl = HttpUrl.refine(
  (text) => text.startsWith('https:') || /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?:[:/?]|$)/.test(text),
  'secrets travel over https://, or stay on this machine',
)

/** OAuth 2 client credentials. The secret is a reference or the secret itself. */
export const OAuthSettings = z.strictObject({
  token_url: SafeUrl,
  client_id: z.string().min(1),
  client_secret: z.string().min(1),
  scope: z.string().min(1).optional(),
})
export type OAuthSettings = z.infer<typeof OAuthSettings>
