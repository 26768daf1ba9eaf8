import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import type { ConsoleGuest, RootRoute } from '../../guest.ts'
import { loaded } from '../../lib/outdated.ts'

export const hub = {
  name: 'hub',
  routes: (root: RootRoute) =>
    [
      createRoute({
        getParentRoute: () => root,
        path: '/nodes',
        component: lazyRouteComponent(() => loaded(import('./nodes-page.tsx')), 'NodesPage'),
      }),
    ] as const,
  pages: [{ group: 'Set up', rank: 40, to: '/nodes', name: 'Nodes', icon: 'layers', needs: 'oversee' }],
} satisfies ConsoleGuest
