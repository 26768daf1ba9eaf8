import { z } from 'zod'
import { HeaderName, HttpUrl, OAuthSettings } from '../../kernel/contract/http-settings.ts'
import { COMMON, noneBut } from '../../kernel/contract/tool-settings.ts'

/** A secret by reference (`env:NAME`, `file:PATH`), or the text itself. */
const Secret = z.string().min(1)

/** How requests are authenticated. Exactly one; the values are read when the gate starts and sent only to `base_url`. */
const Auth = z
  .strictObject({
    bearer: Secret.optional(),
    basic: z.strictObject({ user: Secret, password: Secret }).optional(),
    /** A key in a header or in the query, as named in the file's `securitySchemes`. */
    api_key: z
      .discriminatedUnion('in', [
        z.strictObject({ in: z.literal('header'), name: HeaderName, value: Secret }),
        z.strictObject({ in: z.literal('query'), name: z.string().min(1).max(200), value: Secret }),
      ])
      .optional(),
    oauth: OAuthSettings.optional(),
  })
  .refine((auth) => Object.values(auth).filter((way) => way !== undefined).length === 1, {
    error: 'exactly one of `bearer`, `basic`, `api_key` and `oauth`',
  })

/** An HTTP API described by an OpenAPI 3.0 or 3.1 file: each operation is a tool. */
export const OpenApiSettings = z
  .strictObject({
    /** The file, JSON or YAML; relative to the config file's folder. */
    openapi: z.string().min(1),
    ...noneBut('openapi'),
    /** The URL of the API. By default the file's first `servers` entry, which never gets a credential. */
    base_url: HttpUrl.refine((text) => !text.includes('?'), 'an address without a query').optional(),
    auth: Auth.optional(),
    /** Sent with every request. `env:NAME` and `file:PATH` refer to a secret. */
    headers: z.record(HeaderName, Secret).default({}),
    /** Which operations are offered, by tool name; `*` matches any text. All by default. */
    only: z.array(z.string().min(1).max(200)).min(1).optional(),
    except: z.array(z.string().min(1).max(200)).default([]),
    ...COMMON,
  })
  .refine(({ base_url, auth, headers }) => {
    const has_credentials = auth !== undefined || Object.keys(headers).length > 0
    return base_url !== undefined || !has_credentials
  }, 'credentials are only sent to an address in this file: add `base_url`')
export type OpenApiSettings = z.infer<typeof OpenApiSettings>
