import type { ServerLogins } from '../../kernel/ports/logins.ts'
import type { Guest } from '../../kernel/registries.ts'

declare module '../../kernel/ports/guest-ports.ts' {
  interface GuestPorts {
    readonly logins: ServerLogins
  }
}

export const serverLogins: Guest = {
  name: 'server-logins',
  problems: async () => (await import('./problems.ts')).SERVER_LOGIN_PROBLEMS,
  eraseUser: async () => (await import('./erase-logins.ts')).eraseLogins,
  logins: async () => (await import('./open-server-logins.ts')).openLogins,
  prepare: async () => (await import('./prepare-logins.ts')).prepareLogins,
  commands: [
    {
      names: ['login', 'logout'],
      rank: 80,
      under: 'servers',
      load: async () => (await import('./commands.ts')).addLoginCommands,
    },
  ],
  endpoints: async () => (await import('./endpoints.ts')).endpoints,
}
