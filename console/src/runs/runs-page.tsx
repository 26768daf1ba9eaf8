import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { ask, withQuery } from '../api/client.ts'
import type { ListPage, ListedRun } from '../api/types.ts'
import type { ConsoleGuest } from '../guest.ts'
import { GUESTS } from '../guests.ts'
import { LiveSign } from '../inbox/inbox-page.tsx'
import { CallerName } from '../parts/caller-name.tsx'
import { Ago } from '../parts/ago.tsx'
import { Icon } from '../parts/icon.tsx'
import type { IconName } from '../parts/icon-paths.ts'
import { ShowMore } from '../parts/show-more.tsx'
import { Empty, ListStates } from '../parts/states.tsx'
import { Text } from '../parts/text.tsx'

const STATUSES = {
  active: { kind: 'plain', icon: 'bolt', word: 'Running' },
  waiting: { kind: 'ask', icon: 'clock', word: 'Waiting' },
  done: { kind: 'allow', icon: 'check', word: 'Done' },
  failed: { kind: 'block', icon: 'warn', word: 'Failed' },
  cancelled: { kind: 'plain', icon: 'undo', word: 'Cancelled' },
  faulted: { kind: 'block', icon: 'warn', word: 'Faulted' },
} as const satisfies Record<ListedRun['status'], { kind: string; icon: IconName; word: string }>

export function RunStatusWord({ of }: { readonly of: ListedRun['status'] }) {
  const { kind, icon, word } = STATUSES[of]
  return (
    <span className={`verdict ${kind}`}>
      <Icon name={icon} />
      {word}
    </span>
  )
}

const guests: readonly ConsoleGuest[] = GUESTS
export const RUN_KINDS: NonNullable<ConsoleGuest['runs']> = Object.assign(
  { 'held-call': { word: 'held call' }, delivery: { word: 'message to a channel' } },
  ...guests.map(({ runs }) => runs),
)

/** Background runs, newest first. */
export function RunsPage() {
  const [status, setStatus] = useState('')
  const query = useInfiniteQuery({
    queryKey: ['runs', 'list', status],
    queryFn: ({ pageParam, signal }) =>
      ask<ListPage<ListedRun>>(withQuery('/v1/runs', { status, limit: 100, after: pageParam }), { signal }),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: (last) => last.next,
    staleTime: 0,
  })
  const runs = query.data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <>
      <div className="top">
        <h1>Runs</h1>
        <span className="grow" />
        <LiveSign />
      </div>
      <div className="filters">
        <div className="chips" role="group" aria-label="Status">
          {['', ...Object.keys(STATUSES)].map((name) => (
            <button
              key={name}
              type="button"
              className="chip"
              aria-pressed={status === name}
              onClick={() => setStatus(name)}
            >
              {name === '' ? 'All' : STATUSES[name as ListedRun['status']].word}
            </button>
          ))}
        </div>
      </div>
      <div className="scroll">
        <ListStates
          of={query}
          empty={
            runs.length === 0 ? (
              <Empty title="No runs here">
                <p className="small">
                  Held calls, toolflows and conversations with the agent appear here, both running and finished.
                </p>
              </Empty>
            ) : undefined
          }
        >
          <ul>
            {runs.map((run) => (
              <li key={run.run_id} className="run-row">
                <RunStatusWord of={run.status} />
                <span className="what">
                  <Link to="/runs/$id" params={{ id: run.run_id }}>
                    {RUN_KINDS[run.kind]?.word ?? run.kind}
                    {run.waits_for === undefined ? null : (
                      <>
                        {' '}
                        waits for <Text>{run.waits_for}</Text>
                      </>
                    )}
                  </Link>
                  <span className="tiny faint">
                    {run.owner === undefined ? null : (
                      <>
                        <CallerName id={run.owner.id} user={run.owner.user} /> ·{' '}
                      </>
                    )}
                    <code>{run.run_id}</code>
                  </span>
                </span>
                <span className="small dim">
                  <Ago at={run.created_at} />
                </span>
              </li>
            ))}
          </ul>
        </ListStates>
        <ShowMore of={query} />
      </div>
    </>
  )
}
