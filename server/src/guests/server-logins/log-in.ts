import type { AuditEvent } from '../../kernel/contract/audit-events.ts'
import type { Caller } from '../../kernel/contract/caller.ts'
import { ok, type Result } from '../../kernel/contract/problems.ts'
import type {
  LoginSlot,
  LoginPage,
  LoginReturn,
  LoginStatus,
  ServerLogins,
  StartedLogin,
} from '../../kernel/ports/logins.ts'
import type { Ledger } from '../../kernel/ports/ledger.ts'
import type { Clock, Ids } from '../../kernel/ports/runtime.ts'
import { refuseUnrecorded } from '../../kernel/changes/unrecorded.ts'
import { refuse } from './problems.ts'

export type LoginsPorts = {
  readonly logins: ServerLogins
  readonly ledger: Ledger
  readonly clock: Clock
  readonly ids: Ids
  readonly serverReports: () => readonly { readonly server: string }[]
}

/** `shared`: the gate's own login, also if each user has one. Only an admin starts or ends it. */
export type WhichLogin = { readonly server: string; readonly shared?: boolean | undefined }

/** Logins at tool servers. Nothing here ever contains a token. */
export interface LoginUse {
  /** Starts one: the URL leads a browser through it. */
  start(caller: Caller, which: WhichLogin): Promise<Result<StartedLogin>>
  status(caller: Caller, which: WhichLogin): Result<LoginStatus>
  /** Revokes it at the authorization server, as far as possible, and deletes it. */
  end(caller: Caller, which: WhichLogin): Promise<Result<{ readonly revoked: boolean }>>
  /** The gate's login page, for anybody who has its URL. */
  page(ticket: string): Result<LoginPage>
  /** What a browser brings back; its secret proves that it continued the login. */
  finish(back: LoginReturn): Promise<Result<LoginSlot>>
  /** The same, entered by hand by somebody who may start this login. */
  finishFor(caller: Caller, which: WhichLogin, back: Omit<LoginReturn, 'secrets'>): Promise<Result<LoginSlot>>
}

export function loginUse(deps: LoginsPorts): LoginUse {
  const { logins } = deps

  /** The slot, for somebody who may decide about it. */
  function slotFor(caller: Caller, { server, shared = false }: WhichLogin): Result<LoginSlot> {
    const known = deps.serverReports().map((report) => report.server)
    if (!known.includes(server)) return refuse('server.unknown', { server, known: known.join(', ') })
    const kind = logins.kind(server)
    if (kind === undefined) return refuse('login.not_offered', { server })
    if (kind === 'user' && !shared) return ok({ server, user: caller.user })
    return caller.kind === 'admin' ? ok({ server }) : refuse('auth.forbidden', { needs: 'admin' })
  }

  const record = (
    type: AuditEvent,
    actor: string,
    { server, user }: LoginSlot,
    about: Readonly<Record<string, string>>,
  ) =>
    deps.ledger.commit([
      {
        kind: 'audit',
        entry: {
          at: deps.clock(),
          type,
          actor,
          trace: deps.ids.trace(),
          subject: { server, ...(user === undefined ? {} : { user }) },
          about,
        },
      },
    ])

  /** A login that could not be recorded does not count. */
  async function finished(back: LoginReturn, as?: LoginSlot): Promise<Result<LoginSlot>> {
    const done = await logins.finish(back, as)
    if (!done.ok) return done
    const { issuer, by, ...slot } = done.value
    const recorded = await record('server.logged_in', by, slot, { issuer })
    if (recorded === 'committed') return ok(slot)
    await logins.end(slot)
    return refuseUnrecorded(recorded)
  }

  return {
    async start(caller, which) {
      const slot = slotFor(caller, which)
      return slot.ok ? logins.start(slot.value, caller.id) : slot
    },
    status(caller, which) {
      const slot = slotFor(caller, which)
      return slot.ok ? ok(logins.status(slot.value)) : slot
    },
    async end(caller, which) {
      const slot = slotFor(caller, which)
      if (!slot.ok) return slot
      const recorded = await record('server.logged_out', caller.id, slot.value, {})
      return recorded === 'committed' ? logins.end(slot.value) : refuseUnrecorded(recorded)
    },
    page: (ticket) => logins.page(ticket),
    finish: (back) => finished(back),
    async finishFor(caller, which, back) {
      const slot = slotFor(caller, which)
      return slot.ok ? finished(back, slot.value) : slot
    },
  }
}
