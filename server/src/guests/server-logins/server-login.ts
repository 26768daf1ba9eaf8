import { z } from 'zod'
import type { Result } from '../../kernel/contract/problems.ts'
import type { LoginSlot } from '../../kernel/ports/logins.ts'

const Client = z.strictObject({
  client_id: z.string().min(1),
  client_secret: z.string().min(1).optional(),
  token_endpoint_auth_method: z.string().optional(),
})

/** The gate as a client of one authorization server, registered for one redirect URL. */
export const StoredClient = z.strictObject({
  v: z.literal(1),
  issuer: z.string().min(1),
  redirect_uri: z.string().min(1),
  client: Client,
})
export type StoredClient = z.infer<typeof StoredClient>

/** The result of a person's login at a tool server. It contains everything a refresh needs, so a refresh needs no discovery. */
export const StoredLogin = z.strictObject({
  v: z.literal(1),
  server: z.string().min(1),
  user: z.string().min(1).optional(),
  /** The tool server's URL when the person logged in; its tokens are sent nowhere else. */
  url: z.string().min(1),
  issuer: z.string().min(1),
  client: Client,
  token_endpoint: z.string().min(1),
  revocation_endpoint: z.string().min(1).optional(),
  auth_methods: z.array(z.string()).optional(),
  /** The resource indicator (RFC 8707) for which the tokens were requested. */
  resource: z.string().optional(),
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).optional(),
  expires_at: z.number().optional(),
  /** From then on it is refreshed before it is used. */
  renew_at: z.number().optional(),
  scope: z.string().optional(),
  logged_in_at: z.number(),
  /** Set while a refresh is in progress. If the gate stops in between, the refresh token may be spent. */
  refreshing_since: z.number().optional(),
})
export type StoredLogin = z.infer<typeof StoredLogin>

/** Where logins at tool servers are stored. Everything in it is secret. */
export interface LoginStore {
  read(slot: LoginSlot): Result<StoredLogin | undefined>
  /** Durable on return. */
  write(login: StoredLogin): Result<void>
  remove(slot: LoginSlot): void
  readClient(server: string): Result<StoredClient | undefined>
  writeClient(server: string, client: StoredClient): Result<void>
  removeClient(server: string): void
  /** The users with their own login at this server. */
  users(server: string): readonly string[]
}
