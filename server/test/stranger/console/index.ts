import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import type { ConsoleGuest, RootRoute } from '../../guest.ts'
import { loaded } from '../../lib/outdated.ts'

export const stranger = {
  name: 'stranger',
  routes: (root: RootRoute) =>
    [
      createRoute({
        getParentRoute: () => root,
        path: '/greetings',
        component: lazyRouteComponent(() => loaded(import('./greetings-page.tsx')), 'GreetingsPage'),
      }),
    ] as const,
  pages: [{ group: 'Set up', rank: 900, to: '/greetings', name: 'Greetings', icon: 'layers', needs: 'oversee' }],
} satisfies ConsoleGuest
