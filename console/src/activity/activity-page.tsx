import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import { LiveSign } from '../inbox/inbox-page.tsx'
import { changedCalls } from '../lib/changes.ts'
import { useKeys } from '../lib/keys.ts'
import { useStore } from '../lib/store.ts'
import { many } from '../lib/time.ts'
import { Icon } from '../parts/icon.tsx'
import { SearchBox } from '../parts/search-box.tsx'
import { Empty, ListStates } from '../parts/states.tsx'
import { Text } from '../parts/text.tsx'
import { CallDrawer } from './call-drawer.tsx'
import { CallTable } from './call-table.tsx'
import { activityQuery, type CallFilters } from './calls-query.ts'

const STATES: readonly (readonly [string, string])[] = [
  ['', 'All'],
  ['executed', 'Ran'],
  ['pending', 'Waiting'],
  ['refused', 'Blocked or denied'],
  ['failed', 'Failed'],
  ['unknown', 'Unknown'],
]
const SPANS: readonly (readonly [string, string])[] = [
  ['', 'All time'],
  ['1', '1 hour'],
  ['24', '24 hours'],
  ['168', '7 days'],
]
const TYPING_MS = 250

/** The list of calls, newest first, with the selected call next to it. */
export function ActivityPage() {
  const { id } = useParams({ strict: false })
  const filters: CallFilters = useSearch({ strict: false })
  const go = useNavigate()
  const [readAt, setReadAt] = useState(() => Date.now())
  const query = useInfiniteQuery(activityQuery(filters, readAt))
  const calls = useMemo(() => query.data?.pages.flatMap(({ items }) => items) ?? [], [query.data])
  const fresh = useStore(changedCalls).size
  const to = id === undefined ? '/activity' : '/activity/$id'
  const setFilters = (more: CallFilters) => {
    const next = Object.fromEntries(Object.entries({ ...filters, ...more }).filter(([, value]) => value !== ''))
    void go({ to, params: { id }, search: next, replace: true } as never)
  }
  const showNew = () => {
    changedCalls.set(new Set())
    setReadAt(Date.now())
  }
  useEffect(() => changedCalls.set(new Set()), [])
  const close = () => void go({ to: '/activity', search: filters } as never)
  const at = calls.findIndex(({ call_id }) => call_id === id)
  const move = (by: 1 | -1) => {
    const next = calls[at === -1 ? 0 : Math.max(0, Math.min(calls.length - 1, at + by))]
    if (next !== undefined) void go({ to: '/activity/$id', params: { id: next.call_id }, search: filters } as never)
  }
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    Escape: () => (id === undefined ? false : close()),
    u: () => (id === undefined ? false : close()),
  })
  return (
    <div className={id === undefined ? 'activity' : 'activity open'}>
      <div className="activity-main">
        <div className="top">
          <h1>Activity</h1>
          <span className="grow" />
          <SearchField words={filters.words ?? ''} onWords={(words) => setFilters({ words })} />
          <LiveSign />
        </div>
        <div className="filters">
          <div className="chips" role="group" aria-label="Outcome">
            {STATES.map(([state, name]) => (
              <button
                key={state}
                type="button"
                className="chip"
                aria-pressed={(filters.state ?? '') === state}
                onClick={() => setFilters({ state })}
              >
                {name}
              </button>
            ))}
          </div>
          <select
            className="select small-select"
            aria-label="How far back"
            value={filters.span ?? ''}
            onChange={(event) => setFilters({ span: event.target.value })}
          >
            {SPANS.map(([span, name]) => (
              <option key={span} value={span}>
                {name}
              </option>
            ))}
          </select>
          {filters.tool === undefined ? null : (
            <button type="button" className="chip" aria-pressed="true" onClick={() => setFilters({ tool: '' })}>
              <Text>{filters.tool}</Text> <Icon name="cross" size="s" />
              <span className="sr">remove this filter</span>
            </button>
          )}
          {filters.caller === undefined ? null : (
            <button type="button" className="chip" aria-pressed="true" onClick={() => setFilters({ caller: '' })}>
              <Text>{filters.caller}</Text> <Icon name="cross" size="s" />
              <span className="sr">remove this filter</span>
            </button>
          )}
          <span className="grow" />
          <button type="button" className="new-chip" hidden={fresh === 0} onClick={showNew}>
            {many(fresh, 'change')}, show
          </button>
        </div>
        <ListStates
          of={query}
          rows={8}
          empty={
            calls.length === 0 ? (
              <Empty title="No calls here">
                <p className="small">No call matches these filters.</p>
              </Empty>
            ) : undefined
          }
        >
          <CallTable
            calls={calls}
            chosen={id}
            filters={filters}
            hasMore={query.hasNextPage}
            onMore={() => {
              if (query.hasNextPage && !query.isFetchingNextPage) void query.fetchNextPage()
            }}
          />
        </ListStates>
      </div>
      {id === undefined ? null : <CallDrawer key={id} id={id} onClose={close} />}
    </div>
  )
}

function SearchField({ words, onWords }: { readonly words: string; readonly onWords: (words: string) => void }) {
  const [typed, setTyped] = useState(words)
  useEffect(() => {
    if (typed === words) return
    const timer = setTimeout(() => onWords(typed), TYPING_MS)
    return () => clearTimeout(timer)
  })
  return <SearchBox label="Search calls" placeholder="tool, agent, words, id" value={typed} onValue={setTyped} />
}
