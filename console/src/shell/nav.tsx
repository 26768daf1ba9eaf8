import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useRouterState } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { pendingQuery } from '../api/queries.ts'
import { useMe } from '../inbox/use-me.ts'
import { useMay } from '../lib/may.ts'
import { Button } from '../parts/button.tsx'
import { Icon, Logo } from '../parts/icon.tsx'
import { Text } from '../parts/text.tsx'
import { GateState } from './gate-state.tsx'
import { overlay } from './overlay.ts'
import { GROUPS, PAGES, pageAt, pagesFor, type ConsolePage } from './pages.ts'

/** Whether this page is shown now. */
function useIsHere(): (to: string) => boolean {
  const here = useRouterState({ select: ({ location }) => pageAt(location.pathname) })
  return (to) => to === here
}

function NavItem({ to, name, icon }: ConsolePage) {
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
  const me = useMe()
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
          {pagesFor(me?.kind, items).map((item) => (
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

/** Only for those who may pause. */
export function PauseButton({ short = false }: { readonly short?: boolean }) {
  if (!useMay('administer')) return null
  return (
    <Button className="pause" {...(short ? { label: 'Pause everything' } : {})} onClick={() => overlay.set('pause')}>
      <Icon name="pause" />
      <span className="t">{short ? 'Pause' : 'Pause everything …'}</span>
    </Button>
  )
}

const MORE_PAGE: ConsolePage = { rank: 0, to: '/more', name: 'More', icon: 'more' }

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
const MORE = PAGES.filter(({ isOnPhone }) => isOnPhone !== true)
const PHONE = [...PAGES.filter(({ isOnPhone }) => isOnPhone === true), MORE_PAGE]

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
  const me = useMe()
  return (
    <div className="scroll">
      <div className="top">
        <h1>More</h1>
      </div>
      <div className="body more">
        {pagesFor(me?.kind, MORE).map((item) => (
          <Link key={item.to} to={item.to} className="btn">
            <Icon name={item.icon} />
            {item.name}
          </Link>
        ))}
      </div>
    </div>
  )
}
