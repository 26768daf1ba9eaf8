import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from '@tanstack/react-router'
import { InboxPage } from './inbox/inbox-page.tsx'
import { App } from './shell/app.tsx'
import { MorePage } from './shell/nav.tsx'

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
    component: lazyRouteComponent(() => import('./activity/activity-page.tsx'), 'ActivityPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/activity/$id',
    validateSearch: words(['state', 'tool', 'caller', 'words', 'span']),
    component: lazyRouteComponent(() => import('./activity/activity-page.tsx'), 'ActivityPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/chat',
    component: lazyRouteComponent(() => import('./chat/chat-page.tsx'), 'ChatPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/chat/$id',
    component: lazyRouteComponent(() => import('./chat/chat-page.tsx'), 'ChatPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/runs',
    component: lazyRouteComponent(() => import('./runs/runs-page.tsx'), 'RunsPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/runs/$id',
    component: lazyRouteComponent(() => import('./runs/run-page.tsx'), 'RunPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/flows',
    component: lazyRouteComponent(() => import('./flows/flows-page.tsx'), 'FlowsPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/flows/$id',
    component: lazyRouteComponent(() => import('./flows/flow-run-page.tsx'), 'FlowRunPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/workflows',
    component: lazyRouteComponent(() => import('./workflows/workflows-page.tsx'), 'WorkflowsPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/workflows/$name',
    component: lazyRouteComponent(() => import('./workflows/workflow-page.tsx'), 'WorkflowPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/tools',
    validateSearch: words(['tool']),
    component: lazyRouteComponent(() => import('./tools/tools-page.tsx'), 'ToolsPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/policy',
    component: lazyRouteComponent(() => import('./policy/policy-page.tsx'), 'PolicyPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/consents',
    component: lazyRouteComponent(() => import('./consents/consents-page.tsx'), 'ConsentsPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/nodes',
    component: lazyRouteComponent(() => import('./nodes/nodes-page.tsx'), 'NodesPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/audit',
    component: lazyRouteComponent(() => import('./audit/audit-page.tsx'), 'AuditPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/overview',
    component: lazyRouteComponent(() => import('./overview/overview-page.tsx'), 'OverviewPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/settings',
    component: lazyRouteComponent(() => import('./settings/settings-page.tsx'), 'SettingsPage'),
  }),
] as const

/** The gate's links name pages after a `#`, so that no address of a page can be one of the gate's own routes. */
export const router = createRouter({
  routeTree: root.addChildren(routes),
  history: createHashHistory(),
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
