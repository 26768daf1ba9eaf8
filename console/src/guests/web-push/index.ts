import { lazy } from 'react'
import type { ConsoleGuest } from '../../guest.ts'
import { loaded } from '../../lib/outdated.ts'

export const webPush = {
  name: 'web-push',
  routes: () => [] as const,
  ofDeciders: lazy(async () => ({ default: (await loaded(import('./browsers.tsx'))).Browsers })),
} satisfies ConsoleGuest
