import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { lazy } from 'react'
import type { ConsoleGuest, RootRoute } from '../../guest.ts'
import { loaded } from '../../lib/outdated.ts'

const page = lazyRouteComponent(() => loaded(import('./chat-page.tsx')), 'ChatPage')

export const agent = {
  name: 'agent',
  routes: (root: RootRoute) =>
    [
      createRoute({ getParentRoute: () => root, path: '/chat', component: page }),
      createRoute({ getParentRoute: () => root, path: '/chat/$id', component: page }),
    ] as const,
  pages: [{ group: 'Decide', rank: 20, to: '/chat', name: 'Chat', icon: 'chat', keys: 'g c' }],
  runs: {
    agent: {
      word: 'conversation',
      View: lazy(async () => ({ default: (await loaded(import('./thread-run.tsx'))).ThreadRun })),
    },
  },
  touched: { run: ['threads'] },
} satisfies ConsoleGuest
