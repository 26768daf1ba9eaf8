import type { Guest } from '../../kernel/registries.ts'

export const openapi: Guest = {
  name: 'openapi',
  section: async () => (await import('./openapi-settings.ts')).section,
  serverKinds: async () => [(await import('./server-kind.ts')).openApiKind],
}
