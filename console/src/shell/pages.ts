import type { ConsoleGuest } from '../guest.ts'
import { GUESTS } from '../guests.ts'
import { isAble, type Ability } from '../lib/may.ts'
import type { IconName } from '../parts/icon-paths.ts'

export type ConsolePage = {
  /** Its place in the navigation: the lowest comes first. */
  readonly rank: number
  readonly to: string
  readonly name: string
  readonly icon: IconName
  /** The keys that open it. */
  readonly keys?: string
  /** The bar of a phone has room for few. */
  readonly isOnPhone?: true
  /** Others are not offered the page, and it asks the gate for nothing. */
  readonly needs?: Ability
}

export type GroupName = 'Decide' | 'Watch' | 'Set up'

const OWN: Readonly<Record<GroupName, readonly ConsolePage[]>> = {
  Decide: [{ rank: 10, to: '/', name: 'Inbox', icon: 'inbox', keys: 'g i', isOnPhone: true }],
  Watch: [
    { rank: 10, to: '/overview', name: 'Overview', icon: 'overview', keys: 'g o' },
    { rank: 20, to: '/activity', name: 'Activity', icon: 'activity', keys: 'g a', isOnPhone: true },
    { rank: 30, to: '/runs', name: 'Runs', icon: 'run', keys: 'g r', isOnPhone: true },
  ],
  'Set up': [
    { rank: 10, to: '/policy', name: 'Policy', icon: 'policy', keys: 'g p', needs: 'read_policy' },
    { rank: 20, to: '/tools', name: 'Tools', icon: 'tool' },
    { rank: 30, to: '/consents', name: 'Consents', icon: 'consent' },
    { rank: 50, to: '/audit', name: 'Audit', icon: 'audit', needs: 'decide' },
  ],
}

const guests: readonly ConsoleGuest[] = GUESTS
const guestPages = guests.flatMap(({ pages = [] }) => pages)

export const GROUPS: readonly { readonly name: GroupName; readonly items: readonly ConsolePage[] }[] = (
  ['Decide', 'Watch', 'Set up'] as const
).map((name) => ({
  name,
  items: [...OWN[name], ...guestPages.filter(({ group }) => group === name)].toSorted(
    (one, other) => one.rank - other.rank,
  ),
}))

const SETTINGS: ConsolePage = { rank: 10, to: '/settings', name: 'Settings', icon: 'settings' }

/** All pages, for finding one by its address or its name. */
export const PAGES: readonly ConsolePage[] = [...GROUPS.flatMap(({ items }) => items), SETTINGS]

/** The inbox has two more addresses: one request, and several that are alike. */
export function pageAt(path: string): string {
  const first = `/${path.split('/')[1] ?? ''}`
  return first === '/approvals' || first === '/batch' ? '/' : first
}

export const pagesFor = (kind: string | undefined, pages: readonly ConsolePage[]): readonly ConsolePage[] =>
  pages.filter(({ needs }) => isAble(kind, needs))
