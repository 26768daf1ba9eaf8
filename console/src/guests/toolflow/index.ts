import type { ConsoleGuest } from '../../guest.ts'

export const toolflow = {
  name: 'toolflow',
  routes: () => [] as const,
  runs: { toolflow: { word: 'tool flow' } },
} satisfies ConsoleGuest
