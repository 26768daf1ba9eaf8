import { isAble, type Ability } from '../lib/may.ts'
import type { IconName } from '../parts/icon-paths.ts'

export type Page = {
  readonly to: string
  readonly name: string
  readonly icon: IconName
  /** The keys that open it. */
  readonly keys?: string
  /** Others are not offered the page, and it asks the gate for nothing. */
  readonly needs?: Ability
}

export const GROUPS: readonly { readonly name: string; readonly items: readonly Page[] }[] = [
  {
    name: 'Decide',
    items: [
      { to: '/', name: 'Inbox', icon: 'inbox', keys: 'g i' },
      { to: '/chat', name: 'Chat', icon: 'chat', keys: 'g c' },
    ],
  },
  {
    name: 'Watch',
    items: [
      { to: '/overview', name: 'Overview', icon: 'overview', keys: 'g o' },
      { to: '/activity', name: 'Activity', icon: 'activity', keys: 'g a' },
      { to: '/runs', name: 'Runs', icon: 'run', keys: 'g r' },
      { to: '/workflows', name: 'Workflows', icon: 'bot', needs: 'oversee' },
      { to: '/flows', name: 'Flows', icon: 'flow', keys: 'g f' },
    ],
  },
  {
    name: 'Set up',
    items: [
      { to: '/policy', name: 'Policy', icon: 'policy', keys: 'g p', needs: 'read_policy' },
      { to: '/tools', name: 'Tools', icon: 'tool' },
      { to: '/consents', name: 'Consents', icon: 'consent' },
      { to: '/nodes', name: 'Nodes', icon: 'layers', needs: 'oversee' },
      { to: '/audit', name: 'Audit', icon: 'audit', needs: 'decide' },
    ],
  },
]

const SETTINGS: Page = { to: '/settings', name: 'Settings', icon: 'settings' }

/** All pages, for finding one by its address or its name. */
export const PAGES: readonly Page[] = [...GROUPS.flatMap(({ items }) => items), SETTINGS]

/** The inbox has two more addresses: one request, and several that are alike. */
export function pageAt(path: string): string {
  const first = `/${path.split('/')[1] ?? ''}`
  return first === '/approvals' || first === '/batch' ? '/' : first
}

export const pagesFor = (kind: string | undefined, pages: readonly Page[]): readonly Page[] =>
  pages.filter(({ needs }) => isAble(kind, needs))
