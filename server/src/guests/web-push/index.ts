import type { WebPush } from '../../kernel/approvals/channels-use.ts'
import type { Guest } from '../../kernel/registries.ts'

declare module '../../kernel/ports/guest-ports.ts' {
  interface GuestPorts {
    readonly webPush: WebPush
  }
}

export const webPush: Guest = {
  name: 'web-push',
  problems: async () => (await import('./problems.ts')).WEB_PUSH_PROBLEMS,
  section: async () => (await import('./section.ts')).section,
  tables: async () => [(await import('./pushes-table.ts')).pushesTable],
  sharedKeyFile: {
    name: 'web-push-key.json',
    make: async (folder) => (await import('./web-push.ts')).makeWebPushKey(folder),
  },
  prepare: async () => (await import('./open-web-push.ts')).prepareWebPush,
  endpoints: async () => (await import('./endpoints.ts')).endpoints,
}
