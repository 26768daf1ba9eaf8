import { Outlet, useNavigate, useRouterState } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useRef } from 'react'
import { askedProof } from '../api/ask-proven.ts'
import { followGate } from '../api/follow.ts'
import { announced } from '../lib/announce.ts'
import { useIsWide } from '../lib/is-wide.ts'
import { useKeys } from '../lib/keys.ts'
import { loaded } from '../lib/outdated.ts'
import { useStore } from '../lib/store.ts'
import { Banners } from './banners.tsx'
import { useMe } from '../inbox/use-me.ts'
import { isAble, useMay, whoMay } from '../lib/may.ts'
import { Empty } from '../parts/states.tsx'
import { Nav, PhoneNav, PhoneTop } from './nav.tsx'
import { overlay } from './overlay.ts'
import { PAGES, pageAt } from './pages.ts'
import { ToastLine } from './toast-line.tsx'

const PauseDialog = lazy(async () => ({ default: (await loaded(import('./pause-dialogs.tsx'))).PauseDialog }))
const ResumeDialog = lazy(async () => ({ default: (await loaded(import('./pause-dialogs.tsx'))).ResumeDialog }))
const Palette = lazy(async () => ({ default: (await loaded(import('./palette.tsx'))).Palette }))
const ProofDialog = lazy(async () => ({ default: (await loaded(import('./proof-dialog.tsx'))).ProofDialog }))
const KeysDialog = lazy(async () => ({ default: (await loaded(import('./keys-dialog.tsx'))).KeysDialog }))

/** The frame around every page. */
export function App() {
  const main = useRef<HTMLElement>(null)
  const go = useNavigate()
  const isWide = useIsWide()
  const mayPause = useMay('administer')
  useEffect(followGate, [])
  const open = (to: string) => () => void go({ to })
  useKeys({
    ...Object.fromEntries(PAGES.flatMap(({ to, keys }) => (keys === undefined ? [] : [[keys, open(to)]]))),
    P: () => (mayPause ? overlay.set('pause') : false),
    '?': () => overlay.set('keys'),
    '/': () => {
      const field = document.querySelector<HTMLElement>('[data-search]')
      if (field === null) overlay.set('palette')
      else field.focus()
    },
  })
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey) || event.repeat) return
      if (document.querySelector('dialog[open]') !== null) return
      event.preventDefault()
      overlay.set('palette')
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
  return (
    <div className="shell">
      <button type="button" className="skip btn" onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <Banners />
      {isWide ? <Nav /> : <PhoneTop />}
      <main className="page" id="main" ref={main} tabIndex={-1}>
        <Suspense fallback={null}>
          <ThisPage />
        </Suspense>
      </main>
      {isWide ? null : <PhoneNav />}
      <Overlays />
      <ToastLine />
      <LiveRegion />
      <PageTitle />
    </div>
  )
}

/** The page of this address, or why this person cannot open it. */
function ThisPage() {
  // What is drawn now: while the next page is loaded, the address is already the new one.
  const here = useRouterState({ select: ({ matches }) => pageAt(matches.at(-1)?.pathname ?? '/') })
  const me = useMe()
  const page = PAGES.find(({ to }) => to === here)
  if (page?.needs === undefined || isAble(me?.kind, page.needs)) return <Outlet />
  return (
    <>
      <div className="top">
        <h1>{page.name}</h1>
      </div>
      <Empty title="You do not have access to this page">
        <p className="small">
          It needs the key of {whoMay(page.needs)}. You are logged in as {me?.user}, {me?.kind}.
        </p>
      </Empty>
    </>
  )
}

function Overlays() {
  const which = useStore(overlay)
  const proof = useStore(askedProof)
  return (
    <Suspense fallback={null}>
      {which === 'pause' ? <PauseDialog /> : null}
      {which === 'resume' ? <ResumeDialog /> : null}
      {which === 'palette' ? <Palette /> : null}
      {which === 'keys' ? <KeysDialog /> : null}
      {proof === undefined ? null : <ProofDialog key={proof.path} asked={proof} />}
    </Suspense>
  )
}

/** The only polite live region of the page. */
function LiveRegion() {
  return (
    <div className="sr" role="status" aria-live="polite">
      {useStore(announced)}
    </div>
  )
}

/** The title names the page and nothing of a call: titles are kept in histories and shown in task bars. */
function PageTitle() {
  const here = useRouterState({ select: ({ location }) => pageAt(location.pathname) })
  useEffect(() => {
    const name = here === '/more' ? 'More' : PAGES.find(({ to }) => to === here)?.name
    document.title = `${name ?? 'Inbox'} · Sluice`
  }, [here])
  return null
}
