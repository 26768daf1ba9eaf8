import { aboutWith } from '../../kernel/contract/problems.ts'
import type { ToolReply, UpstreamCall } from '../../kernel/ports/upstream.ts'
import { loginNeeded } from './pending-calls.ts'
import type { ConnectionLogins } from './server-kind.ts'
import type { ToolServer } from './tool-server.ts'

export type UserConnections = {
  call(call: UpstreamCall): Promise<ToolReply>
  /** Their login changed, or ended. */
  end(user: string): void
  close(): Promise<void>
}

/** A user without calls for this long is disconnected. */
const IDLE_MS = 600_000
const MOST_USERS = 256

export type UserConnectionsSetup = {
  readonly server: string
  readonly logins: Pick<ConnectionLogins, 'start' | 'status'>
  readonly open: (user: string) => ToolServer
  readonly now: () => number
}

type Kept = { readonly tool_server: ToolServer; used: number }

/**
 * One connection for each user who has logged in at a server.
 * INVARIANT: a call is sent on the connection of its own user, or not at all.
 */
export function userConnections({ server, logins, open, now }: UserConnectionsSetup): UserConnections {
  const kept = new Map<string, Kept>()

  function drop(user: string): Promise<void> {
    const found = kept.get(user)
    kept.delete(user)
    return found?.tool_server.close() ?? Promise.resolve()
  }

  function closeIdle(): void {
    const idle = [...kept].filter(([, { tool_server }]) => tool_server.status().active === 0)
    const oldest = idle.toSorted(([, one], [, other]) => one.used - other.used)
    for (const [user, { used }] of oldest) if (now() - used > IDLE_MS || kept.size >= MOST_USERS) void drop(user)
  }

  function connectionOf(user: string): ToolServer {
    const found = kept.get(user)
    if (found !== undefined) {
      found.used = now()
      return found.tool_server
    }
    closeIdle()
    const tool_server = open(user)
    kept.set(user, { tool_server, used: now() })
    return tool_server
  }

  /** Adds where the user can log in. */
  async function withAddress(answer: ToolReply, user: string): Promise<ToolReply> {
    if (answer.is !== 'not_sent' || answer.problem.code !== 'tool.login_needed') return answer
    const started = await logins.start({ server, user }, user)
    const more = started.ok ? { url: started.value.url } : { because: started.problem.about['why'] ?? '' }
    return { is: 'not_sent', problem: aboutWith(answer.problem, { ...answer.problem.about, ...more }) }
  }

  return {
    async call(call) {
      const { user } = call
      if (user === undefined)
        return loginNeeded(server, 'this server has one login per user, and this call has no user')
      const { state } = logins.status({ server, user })
      if (state !== 'logged_in') return withAddress(loginNeeded(server, `\`${user}\` has not logged in`), user)
      return withAddress(await connectionOf(user).call(call), user)
    },
    end: (user) => void drop(user),
    async close() {
      await Promise.all([...kept.keys()].map(drop))
    },
  }
}
