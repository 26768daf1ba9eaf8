import type { ServerLogins } from '../ports/logins.ts'

export type EraseLoginsDeps = {
  readonly logins: Pick<ServerLogins, 'end' | 'kind' | 'users'>
  readonly serverReports: () => readonly { readonly server: string }[]
}

/** Revokes and deletes a person's own logins at tool servers. Returns how many. */
export async function eraseLogins({ logins, serverReports }: EraseLoginsDeps, user: string): Promise<number> {
  const servers = serverReports().filter(({ server }) => logins.users(server).includes(user))
  const ended = await Promise.all(servers.map(({ server }) => logins.end({ server, user })))
  return ended.filter(({ ok }) => ok).length
}
