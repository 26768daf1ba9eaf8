import type { Guest } from '../../kernel/registries.ts'

export const content: Guest = {
  name: 'content',
  needs: ['sandbox'],
  guard: true,
  section: async () => (await import('./section.ts')).section,
  textGuard: async () => (await import('./open-text-guard.ts')).openTextGuard,
  scrubText: async () => (await import('./scrub-text.ts')).scrubText,
  judging: async () => (await import('./judging.ts')).judging,
}
