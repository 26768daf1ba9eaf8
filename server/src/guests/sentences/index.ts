import type { Guest } from '../../kernel/registries.ts'

export const sentences: Guest = {
  name: 'sentences',
  prepare: async () => (await import('./make-sentence.ts')).prepareSentences,
}
