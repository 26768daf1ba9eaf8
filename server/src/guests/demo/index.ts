import type { Guest } from '../../kernel/registries.ts'

export const demo: Guest = {
  name: 'demo',
  demo: async () => (await import('./demo.ts')).demoGate,
  commands: [{ names: ['demo'], rank: 15, load: async () => (await import('./commands.ts')).addDemoCommand }],
}
