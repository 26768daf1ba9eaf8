import type { Guest } from '../../kernel/registries.ts'

export const webhook: Guest = {
  name: 'webhook',
  problems: async () => (await import('./problems.ts')).WEBHOOK_PROBLEMS,
  section: async () => (await import('./section.ts')).section,
  channel: async () => (await import('./webhook.ts')).webhookChannel,
  endpoints: async () => (await import('./endpoints.ts')).endpoints,
}
