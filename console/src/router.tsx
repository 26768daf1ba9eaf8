import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from '@tanstack/react-router'
import { loaded } from './lib/outdated.ts'
import { GUESTS } from './guests.ts'
import { InboxPage } from './inbox/inbox-page.tsx'
import { App } from './shell/app.tsx'
import { MorePage } from './shell/nav.tsx'
import { PageFailed } from './shell/page-failed.tsx'

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)
const words = (names: readonly string[]) => (search: Record<string, unknown>) =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = text(search[name])
      return value === undefined ? [] : [[name, value]]
    }),
  ) as Record<string, string>

const root = createRootRoute({ component: App })
const getParentRoute = () => root

/** Every page but the inbox is loaded when it is opened. */
const routes = [
  createRoute({ getParentRoute, path: '/', component: InboxPage }),
  createRoute({ getParentRoute, path: '/approvals/$id', component: InboxPage }),
  createRoute({ getParentRoute, path: '/batch/$id', component: InboxPage }),
  createRoute({ getParentRoute, path: '/more', component: MorePage }),
  createRoute({
    getParentRoute,
    path: '/activity',
    validateSearch: words(['state', 'tool', 'caller', 'words', 'span']),
    component: lazyRouteComponent(() => loaded(import('./activity/activity-page.tsx')), 'ActivityPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/activity/$id',
    validateSearch: words(['state', 'tool', 'caller', 'words', 'span']),
    component: lazyRouteComponent(() => loaded(import('./activity/activity-page.tsx')), 'ActivityPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/runs',
    component: lazyRouteComponent(() => loaded(import('./runs/runs-page.tsx')), 'RunsPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/runs/$id',
    component: lazyRouteComponent(() => loaded(import('./runs/run-page.tsx')), 'RunPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/tools',
    validateSearch: words(['tool']),
    component: lazyRouteComponent(() => loaded(import('./tools/tools-page.tsx')), 'ToolsPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/policy',
    component: lazyRouteComponent(() => loaded(import('./policy/policy-page.tsx')), 'PolicyPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/consents',
    component: lazyRouteComponent(() => loaded(import('./consents/consents-page.tsx')), 'ConsentsPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/audit',
    component: lazyRouteComponent(() => loaded(import('./audit/audit-page.tsx')), 'AuditPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/overview',
    component: lazyRouteComponent(() => loaded(import('./overview/overview-page.tsx')), 'OverviewPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/settings',
    component: lazyRouteComponent(() => loaded(import('./settings/settings-page.tsx')), 'SettingsPage'),
  }),
] as const
type GuestRoute = ReturnType<(typeof GUESTS)[number]['routes']>[number]
const guestRoutes = GUESTS.flatMap((guest): readonly GuestRoute[] => guest.routes(root))
const all: readonly ((typeof routes)[number] | GuestRoute)[] = [...routes, ...guestRoutes]

/** The gate's links name pages after a `#`, so that no address of a page can be one of the gate's own routes. */
export const router = createRouter({
  routeTree: root.addChildren(all),
  history: createHashHistory(),
  defaultErrorComponent: PageFailed,
  defaultNotFoundComponent: () => (
    <div className="empty">
      <h1>This page does not exist</h1>
      <a href="#/">Go to the inbox</a>
    </div>
  ),
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
