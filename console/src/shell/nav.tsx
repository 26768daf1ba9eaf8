import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useRouterState } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { pendingQuery } from '../api/queries.ts'
import { session } from '../api/session.ts'
import { useStore } from '../lib/store.ts'
import { Button } from '../parts/button.tsx'
import { Icon, Logo } from '../parts/icon.tsx'
import type { IconName } from '../parts/icon-paths.ts'
import { Text } from '../parts/text.tsx'
import { GateState } from './gate-state.tsx'
import { overlay } from './overlay.ts'

type Item = { readonly to: string; readonly name: string; readonly icon: IconName }

export const GROUPS: readonly { readonly name: string; readonly items: readonly Item[] }[] = [
  {
    name: 'Decide',
    items: [
      { to: '/', name: 'Inbox', icon: 'inbox' },
      { to: '/chat', name: 'Chat', icon: 'chat' },
    ],
  },
  {
    name: 'Watch',
    items: [
      { to: '/overview', name: 'Overview', icon: 'overview' },
      { to: '/activity', name: 'Activity', icon: 'activity' },
      { to: '/runs', name: 'Runs', icon: 'run' },
      { to: '/workflows', name: 'Workflows', icon: 'bot' },
      { to: '/flows', name: 'Flows', icon: 'flow' },
    ],
  },
  {
    name: 'Set up',
    items: [
      { to: '/policy', name: 'Policy', icon: 'policy' },
      { to: '/tools', name: 'Tools', icon: 'tool' },
      { to: '/consents', name: 'Consents', icon: 'consent' },
      { to: '/nodes', name: 'Nodes', icon: 'layers' },
      { to: '/audit', name: 'Audit', icon: 'audit' },
    ],
  },
]

/** The inbox has two more addresses: one request, and several that are alike. */
function useIsHere(): (to: string) => boolean {
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const first = `/${path.split('/')[1] ?? ''}`
  return (to) => to === (first === '/approvals' || first === '/batch' ? '/' : first)
}

function NavItem({ to, name, icon }: Item) {
  const isHere = useIsHere()
  return (
    <Link to={to} className="nav-item" aria-current={isHere(to) ? 'page' : undefined}>
      <Icon name={icon} />
      <span className="t">{name}</span>
      {to === '/' ? <HeldCount /> : null}
    </Link>
  )
}

export function HeldCount() {
  const { data } = useQuery(pendingQuery)
  if (data === undefined || data.length === 0) return null
  return (
    <span className="count hot">
      {data.length}
      <span className="sr"> waiting</span>
    </span>
  )
}

/** A plain link to the page itself, so that it can be opened in a new tab. */
function Brand({ children }: { readonly children: ReactNode }) {
  const go = useNavigate()
  return (
    <a
      href="/"
      className="brand"
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return
        event.preventDefault()
        void go({ to: '/' })
      }}
    >
      <Logo />
      {children}
    </a>
  )
}

export function Nav() {
  const state = useStore(session)
  const me = state.state === 'in' ? state.me : undefined
  return (
    <nav className="nav" aria-label="Pages">
      <Brand>
        <span>Sluice</span>
      </Brand>
      <button
        type="button"
        className="jump"
        onClick={() => overlay.set('palette')}
        aria-keyshortcuts="Control+K Meta+K"
      >
        <Icon name="search" />
        <span>Search or jump</span>
        <span className="keys" aria-hidden="true">
          <kbd className="kbd">⌘</kbd>
          <kbd className="kbd">K</kbd>
        </span>
      </button>
      {GROUPS.map(({ name, items }) => (
        <div key={name} className="nav-group">
          <h2>{name}</h2>
          {items.map((item) => (
            <NavItem key={item.to} {...item} />
          ))}
        </div>
      ))}
      <div className="nav-foot">
        <GateState />
        <PauseButton />
        <Link to="/settings" className="me">
          <span className="face" aria-hidden="true">
            {(me?.user ?? '?').slice(0, 2).toUpperCase()}
          </span>
          <span className="grow">
            {me === undefined ? 'Settings' : <Text>{me.user}</Text>}
            <br />
            <span className="tiny faint">{me === undefined ? 'keys, channels' : me.kind}</span>
          </span>
        </Link>
      </div>
    </nav>
  )
}

export function PauseButton({ short = false }: { readonly short?: boolean }) {
  return (
    <Button kind="danger" className="pause" onClick={() => overlay.set('pause')}>
      <Icon name="pause" />
      <span className="t">{short ? 'Pause' : 'Pause everything'}</span>
    </Button>
  )
}

const PHONE: readonly Item[] = [
  { to: '/', name: 'Inbox', icon: 'inbox' },
  { to: '/activity', name: 'Activity', icon: 'activity' },
  { to: '/runs', name: 'Runs', icon: 'run' },
  { to: '/flows', name: 'Flows', icon: 'flow' },
  { to: '/more', name: 'More', icon: 'more' },
]

export function PhoneTop() {
  return (
    <header className="phone-top">
      <Brand>
        <span className="sr">Sluice</span>
      </Brand>
      <GateState short />
      <span className="grow" />
      <Button kind="quiet" label="Search" onClick={() => overlay.set('palette')}>
        <Icon name="search" />
      </Button>
      <PauseButton short />
    </header>
  )
}

/** What the phone's bar has no room for. */
const MORE: readonly Item[] = [
  ...GROUPS.flatMap(({ items }) => items).filter(({ to }) => !PHONE.some((item) => item.to === to)),
  { to: '/settings', name: 'Settings', icon: 'settings' },
]

export function PhoneNav() {
  const isHere = useIsHere()
  const isMore = MORE.some(({ to }) => isHere(to))
  return (
    <nav className="phone-nav" aria-label="Pages">
      {PHONE.map(({ to, name, icon }) => (
        <Link key={to} to={to} aria-current={isHere(to) || (to === '/more' && isMore) ? 'page' : undefined}>
          <Icon name={icon} size="l" />
          {name}
          {to === '/' ? <HeldCount /> : null}
        </Link>
      ))}
    </nav>
  )
}

export function MorePage() {
  return (
    <div className="scroll">
      <div className="top">
        <h1>More</h1>
      </div>
      <div className="body more">
        {MORE.map((item) => (
          <Link key={item.to} to={item.to} className="btn">
            <Icon name={item.icon} />
            {item.name}
          </Link>
        ))}
      </div>
    </div>
  )
}
