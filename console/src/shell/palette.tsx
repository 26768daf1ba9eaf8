import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { sentenceText } from '../lib/sentence-text.ts'
import { pendingQuery } from '../api/queries.ts'
import { sentenceOf } from '../inbox/packet-words.ts'
import { shownText } from '../lib/visible.ts'
import { timeLeft } from '../lib/time.ts'
import { Icon } from '../parts/icon.tsx'
import type { IconName } from '../parts/icon-paths.ts'
import { useMe } from '../inbox/use-me.ts'
import { isAble } from '../lib/may.ts'
import { overlay } from './overlay.ts'
import { PAGES, pagesFor } from './pages.ts'

type Found = {
  readonly group: string
  readonly icon: IconName
  readonly says: string
  readonly more: string
  readonly act: () => void
}

/** Finds and opens. INVARIANT: nothing in here decides a call. */
export function Palette() {
  const { data: held = [] } = useQuery(pendingQuery)
  const [words, setWords] = useState('')
  const [at, setAt] = useState(0)
  const go = useNavigate()
  const me = useMe()
  const ref = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const dialog = ref.current
    if (dialog !== null && !dialog.open) dialog.showModal()
    return () => dialog?.close()
  }, [])
  const open = (to: string) => () => void go({ to })
  const every: readonly Found[] = [
    ...held.map((packet): Found => ({
      group: 'Pending requests',
      icon: 'inbox',
      says: shownText(sentenceText(sentenceOf(packet))),
      more: `${timeLeft(packet.expires_at - Date.now())} left`,
      act: open(`/approvals/${packet.approval_id}`),
    })),
    ...(words.trim() === ''
      ? []
      : [
          {
            group: 'Calls',
            icon: 'search' as const,
            says: `Search the activity for “${words.trim()}”`,
            more: '',
            act: () => void go({ to: '/activity', search: { words: words.trim() } }),
          },
        ]),
    ...(isAble(me?.kind, 'administer')
      ? [
          {
            group: 'Do',
            icon: 'pause' as const,
            says: 'Pause everything, or one agent, tool or server …',
            more: '⇧P',
            act: () => overlay.set('pause'),
          },
        ]
      : []),
    { group: 'Do', icon: 'unknown', says: 'Show all keyboard shortcuts', more: '?', act: () => overlay.set('keys') },
    ...pagesFor(me?.kind, PAGES).map(({ to, name, icon, keys = '' }): Found => ({
      group: 'Go to',
      icon,
      says: name,
      more: keys,
      act: open(to),
    })),
  ]
  const wanted = words.trim().toLowerCase()
  const found = every.filter(({ says, group }) => group === 'Calls' || says.toLowerCase().includes(wanted)).slice(0, 16)
  const chosen = Math.min(at, found.length - 1)
  const close = () => overlay.set(undefined)
  const choose = (one: Found | undefined) => {
    close()
    one?.act()
  }
  return (
    <dialog
      ref={ref}
      className="dialog palette"
      aria-label="Search and jump"
      onCancel={(event) => {
        event.preventDefault()
        close()
      }}
    >
      <div className="palette-line">
        <Icon name="search" />
        <input
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-found"
          aria-activedescendant={chosen >= 0 ? `found-${chosen}` : undefined}
          aria-label="Search or jump"
          autoComplete="off"
          value={words}
          onChange={(event) => {
            setWords(event.target.value)
            setAt(0)
          }}
          onKeyDown={(event) => {
            if (event.key === 'ArrowDown') setAt(Math.min(chosen + 1, found.length - 1))
            else if (event.key === 'ArrowUp') setAt(Math.max(chosen - 1, 0))
            else if (event.key === 'Enter') choose(found[chosen])
            else return
            event.preventDefault()
          }}
        />
        <kbd className="kbd" aria-hidden="true">
          esc
        </kbd>
      </div>
      <ul id="palette-found" role="listbox" aria-label="Results">
        {found.map((one, index) => (
          <li
            key={`${one.group} ${one.says} ${index}`}
            id={`found-${index}`}
            role="option"
            aria-selected={index === chosen}
            className="pal-item"
            onMouseMove={() => setAt(index)}
            onClick={() => choose(one)}
          >
            <Icon name={one.icon} />
            <span className="grow">
              <bdi>{one.says}</bdi>
            </span>
            <span className="tiny faint">
              {one.group === 'Pending requests' ? one.more : one.more === '' ? one.group : one.more}
            </span>
          </li>
        ))}
      </ul>
      <p className="dialog-foot">
        <span className="grow">The palette finds and opens. It never approves.</span>
      </p>
    </dialog>
  )
}
