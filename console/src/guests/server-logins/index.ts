import { lazy } from 'react'
import type { ConsoleGuest } from '../../guest.ts'
import { loaded } from '../../lib/outdated.ts'

export const serverLogins = {
  name: 'server-logins',
  routes: () => [] as const,
  ofServer: lazy(async () => ({ default: (await loaded(import('./server-login.tsx'))).ServerLogin })),
} satisfies ConsoleGuest
