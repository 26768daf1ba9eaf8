import type { Guest } from '../../kernel/registries.ts'

export const commands: Guest = {
  name: 'commands',
  section: async () => (await import('./command-settings.ts')).section,
  serverKinds: async () => [(await import('./server-kind.ts')).commandsKind],
}
