import type { Guest } from '../../kernel/registries.ts'

export const stranger: Guest = {
  name: 'stranger',
  problems: async () => (await import('./problems.ts')).STRANGER_PROBLEMS,
  section: async () => (await import('./section.ts')).section,
  judging: async () => (await import('./judging.ts')).judging,
  channel: async () => (await import('./notebook.ts')).notebookChannel,
  runKinds: { greeting: async () => (await import('./greeting.ts')).greetingKind },
  endpoints: async () => (await import('./endpoints.ts')).endpoints,
  commands: [{ names: ['greet'], rank: 900, load: async () => (await import('./commands.ts')).addGreetCommand }],
}
