import type { WebPush } from '../../kernel/approvals/channels-use.ts'
import type { Guest } from '../../kernel/registries.ts'

declare module '../../kernel/ports/guest-ports.ts' {
  interface GuestPorts {
    readonly webPush: WebPush
  }
}

export const webPush: Guest = {
  name: 'web-push',
  prepare: async () => (await import('./open-web-push.ts')).prepareWebPush,
}
