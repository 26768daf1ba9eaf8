import type { Result } from '../contract/problems.ts'

/** Whose login at a tool server: one user's, or, without a user, the gate's own. */
export type LoginSlot = { readonly server: string; readonly user?: string | undefined }

/** A login that waits for a person and their browser. */
export type StartedLogin = {
  /** A page of the gate that says what is about to happen and leads to the authorization server. */
  readonly url: string
  /** Where that page leads: for a browser that cannot reach the gate. */
  readonly authorization_url: string
  /** When it was requested. */
  readonly began_at: number
  readonly expires_at: number
  readonly issuer: string
}

/** What the gate's page shows before it redirects a browser. `secret` binds the browser to the login. */
export type LoginPage = LoginSlot & {
  readonly issuer: string
  readonly scope?: string
  readonly authorization_url: string
  readonly secret: string
}

/** What a browser brings back from an authorization server. */
export type LoginReturn = {
  readonly state?: string | undefined
  readonly code?: string | undefined
  readonly iss?: string | undefined
  readonly error?: string | undefined
  /** Those that the gate's own pages keep in this browser. */
  readonly secrets?: readonly string[]
}

/** Never contains a token. */
export type LoginStatus = LoginSlot & {
  /** `none`: nobody has logged in, and the server has not asked for it. */
  readonly state: 'logged_in' | 'needed' | 'none'
  readonly issuer?: string
  readonly scope?: string
  readonly logged_in_at?: number
  readonly expires_at?: number
  /** Whether it is renewed without a person when it expires. */
  readonly renews?: boolean
  readonly why?: string
  /** A started login waits for its browser until then. Absent after a restart of the gate. */
  readonly waiting_until?: number
}

/** Logins at tool servers: started and ended by people, used by connections. */
export interface ServerLogins {
  /** Which logins this server has: one for everybody, or one per user. Undefined if nobody can log in. */
  kind(server: string): 'gate' | 'user' | undefined
  /** `by`: who starts it, for the record. */
  start(slot: LoginSlot, by: string): Promise<Result<StartedLogin>>
  page(ticket: string): Result<LoginPage>
  /**
   * Processes what the browser brought back. Every state is accepted once, whatever the result. `as`: entered by somebody who may
   * start this login, and no other; then no secret is needed.
   */
  finish(
    back: LoginReturn,
    as?: LoginSlot,
  ): Promise<Result<LoginSlot & { readonly issuer: string; readonly by: string }>>
  /** Deletes the login, after asking the authorization server to revoke it. */
  end(slot: LoginSlot): Promise<Result<{ readonly revoked: boolean }>>
  status(slot: LoginSlot): LoginStatus
  /** The users with their own login at this server. */
  users(server: string): readonly string[]
}
