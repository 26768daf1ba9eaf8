import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import type { ConsoleGuest, RootRoute } from '../../guest.ts'
import { loaded } from '../../lib/outdated.ts'

export const workflows = {
  name: 'workflows',
  routes: (root: RootRoute) =>
    [
      createRoute({
        getParentRoute: () => root,
        path: '/workflows',
        component: lazyRouteComponent(() => loaded(import('./workflows-page.tsx')), 'WorkflowsPage'),
      }),
      createRoute({
        getParentRoute: () => root,
        path: '/workflows/$name',
        component: lazyRouteComponent(() => loaded(import('./workflow-page.tsx')), 'WorkflowPage'),
      }),
    ] as const,
  pages: [{ group: 'Watch', rank: 40, to: '/workflows', name: 'Workflows', icon: 'bot', needs: 'oversee' }],
  runs: { workflow: { word: 'workflow' } },
} satisfies ConsoleGuest
