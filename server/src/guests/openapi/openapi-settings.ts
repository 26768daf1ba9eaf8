import { z } from 'zod'
import type { ConfigSection } from '../../kernel/contract/config.ts'
import { visibleText } from '../../kernel/contract/visible-text.ts'
import { HeaderName, HttpUrl, OAuthSettings } from '../../kernel/contract/http-settings.ts'
import type { OfKind, ServerKindSettings } from '../../kernel/contract/server-settings.ts'

/** A secret by reference (`env:NAME`, `file:PATH`), or the text itself. */
const Secret = z.string().min(1)

/** How requests are authenticated. Exactly one; the values are read when the gate starts and sent only to `base_url`. */
const Auth = z
  .strictObject({
    bearer: Secret.optional().describe('A bearer token.'),
    basic: z
      .strictObject({
        user: Secret.describe('The user name.'),
        password: Secret.describe('The password, as `env:NAME` or `file:PATH`.'),
      })
      .optional()
      .describe('A user name and a password.'),
    /** A key in a header or in the query, as named in the file's `securitySchemes`. */
    api_key: z
      .discriminatedUnion('in', [
        z.strictObject({
          in: z.literal('header').describe('`header` or `query`.'),
          name: HeaderName.describe('The name of the header or parameter.'),
          value: Secret.describe('The key, as `env:NAME` or `file:PATH`.'),
        }),
        z.strictObject({
          in: z.literal('query').describe('`header` or `query`.'),
          name: z.string().min(1).max(200).describe('The name of the header or parameter.'),
          value: Secret.describe('The key, as `env:NAME` or `file:PATH`.'),
        }),
      ])
      .optional()
      .describe('A key in a header or in the query.'),
    oauth: OAuthSettings.optional().describe('Get a bearer token with client credentials.'),
  })
  .refine((auth) => Object.values(auth).filter((way) => way !== undefined).length === 1, {
    error: 'exactly one of `bearer`, `basic`, `api_key` and `oauth`',
  })

/** An HTTP API described by an OpenAPI 3.0 or 3.1 file: each operation is a tool. */
const OpenApi = z.strictObject({
  /** The file, JSON or YAML; relative to the config file's folder. */
  openapi: z.string().min(1).describe('An OpenAPI document: each operation becomes a tool.'),
  /** The URL of the API. By default the file's first `servers` entry, which never gets a credential. */
  base_url: HttpUrl.refine((text) => !text.includes('?'), 'an address without a query')
    .optional()
    .describe('The address of the API, if not the one in the document.'),
  auth: Auth.optional().describe('How to authenticate to the API.'),
  headers: z
    .record(HeaderName, Secret)
    .default({})
    .describe('Headers for every request to it. `env:NAME` and `file:PATH` refer to a secret.'),
  /** Which operations are offered, by tool name; `*` matches any text. All by default. */
  only: z.array(z.string().min(1).max(200)).min(1).optional().describe('Only these operations become tools, as globs.'),
  except: z.array(z.string().min(1).max(200)).default([]).describe('These operations do not become tools, as globs.'),
})
export type OpenApiSettings = z.infer<typeof OpenApi> & OfKind<'openapi'>

declare module '../../kernel/contract/server-settings.ts' {
  interface ServerKinds {
    openapi: OpenApiSettings
  }
}

/** Without an address of the operator's, credentials would go where the file says. */
function hasSafeAddress(settings: object): boolean {
  const { base_url, auth, headers } = settings as OpenApiSettings
  return base_url !== undefined || (auth === undefined && Object.keys(headers).length === 0)
}

const openApiKind: ServerKindSettings<'openapi'> = {
  key: 'openapi',
  rank: 210,
  says: 'the description of an HTTP service',
  keys: () => OpenApi.shape,
  finish: (schema) =>
    schema
      .refine(hasSafeAddress, 'credentials are only sent to an address in this file: add `base_url`')
      .transform((settings) => ({
        ...settings,
        address: (settings as unknown as OpenApiSettings).base_url ?? 'elsewhere',
      })),
  reach: ({ openapi, base_url }) => ({
    contacts: `the API of ${visibleText(openapi)}${base_url === undefined ? '' : `, at ${visibleText(base_url)}`}`,
    files: [openapi],
  }),
}

export const section: ConfigSection = { kinds: [openApiKind] }
