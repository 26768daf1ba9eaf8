import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import type { ConsoleGuest, RootRoute } from '../../guest.ts'
import { loaded } from '../../lib/outdated.ts'

export const flows = {
  name: 'flows',
  routes: (root: RootRoute) =>
    [
      createRoute({
        getParentRoute: () => root,
        path: '/flows',
        component: lazyRouteComponent(() => loaded(import('./flows-page.tsx')), 'FlowsPage'),
      }),
      createRoute({
        getParentRoute: () => root,
        path: '/flows/$id',
        component: lazyRouteComponent(() => loaded(import('./flow-run-page.tsx')), 'FlowRunPage'),
      }),
    ] as const,
  pages: [{ group: 'Watch', rank: 50, to: '/flows', name: 'Flows', icon: 'flow', keys: 'g f', isOnPhone: true }],
  runs: { flow: { word: 'flow' } },
  touched: { flow: ['flows'] },
} satisfies ConsoleGuest
