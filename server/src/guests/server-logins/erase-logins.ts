import type { ServerLogins } from '../../kernel/ports/logins.ts'

export type EraseLoginsPorts = {
  readonly logins: Pick<ServerLogins, 'end' | 'users'>
  readonly serverReports: () => readonly { readonly server: string }[]
}

/** Revokes and deletes a person's own logins at tool servers. */
export async function eraseLogins({ logins, serverReports }: EraseLoginsPorts, user: string): Promise<void> {
  const servers = serverReports().filter(({ server }) => logins.users(server).includes(user))
  await Promise.all(servers.map(({ server }) => logins.end({ server, user })))
}
