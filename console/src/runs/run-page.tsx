import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { ask, withQuery } from '../api/client.ts'
import { problemOf } from '../api/problem.ts'
import type { RunWithEvents } from '../api/types.ts'
import type { RunViewProps } from '../guest.ts'
import { CallerName } from '../parts/caller-name.tsx'
import { say } from '../lib/announce.ts'
import { useMay } from '../lib/may.ts'
import { clockTime, many, shortTime } from '../lib/time.ts'
import { Button } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { Note } from '../parts/note.tsx'
import { Failed, Skeleton } from '../parts/states.tsx'
import { Text } from '../parts/text.tsx'
import { graphOf, type Walked } from './run-graph.ts'
import { RunGraph, WaitsForPerson } from './run-parts.tsx'
import { RUN_KINDS, RunStatusWord } from './runs-page.tsx'

const PAGE = 200
const MOST_EVENTS = 2_000

/** The whole journal, up to a limit. */
async function readRun(id: string, signal: AbortSignal): Promise<RunWithEvents> {
  const path = `/v1/runs/${encodeURIComponent(id)}`
  const first = await ask<RunWithEvents>(withQuery(path, { limit: PAGE }), { signal })
  const events = [...first.events]
  let { next } = first
  while (next !== undefined && events.length < MOST_EVENTS) {
    const page = await ask<RunWithEvents>(withQuery(path, { limit: PAGE, after: next }), { signal })
    events.push(...page.events)
    ;({ next } = page)
  }
  return { ...first, events }
}

/** One run: its graph, its journal, and a slider to look back. Looking back changes nothing. */
export function RunPage() {
  const { id = '' } = useParams({ strict: false })
  const query = useQuery({ queryKey: ['runs', 'one', id], queryFn: ({ signal }) => readRun(id, signal), staleTime: 0 })
  const [seen, setSeen] = useState<number>()
  const { data: run } = query
  if (query.isError && run === undefined) return <Failed error={query.error} onRetry={() => void query.refetch()} />
  if (run === undefined) return <Skeleton />
  const at = seen === undefined ? run.events.length : Math.min(seen, run.events.length)
  const View = RUN_KINDS[run.kind]?.View ?? PlainRun
  return (
    <View run={run} at={at}>
      {({ walked, link }) => (
        <>
          <div className="top">
            <Link to="/runs" className="btn quiet small" aria-label="All runs">
              <Icon name="back" />
            </Link>
            <h1>{RUN_KINDS[run.kind]?.word ?? run.kind}</h1>
            <RunStatusWord of={run.status} />
            <span className="faint small wide">
              <code>{run.run_id}</code>
            </span>
            <span className="grow" />
            {link}
            <Actions run={run} />
          </div>
          <div className="run">
            <div className="run-main">
              <Facts run={run} />
              <div className="graph">
                <RunGraph graph={walked} />
              </div>
              <Travel run={run} at={at} following={seen === undefined} onSeen={setSeen} />
            </div>
            <Journal run={run} at={at} walked={walked} />
          </div>
        </>
      )}
    </View>
  )
}

const PlainRun = ({ run, at, children }: RunViewProps) => children({ walked: graphOf(run, at), link: null })

function Facts({ run }: { readonly run: RunWithEvents }) {
  return (
    <dl className="run-facts">
      {run.owner === undefined ? null : (
        <div>
          <dt>Caller</dt>
          <dd>
            <CallerName id={run.owner.id} user={run.owner.user} />
          </dd>
        </div>
      )}
      <div>
        <dt>Started</dt>
        <dd>{shortTime(run.created_at)}</dd>
      </div>
      {run.ended_at === undefined ? null : (
        <div>
          <dt>Ended</dt>
          <dd>{shortTime(run.ended_at)}</dd>
        </div>
      )}
      {run.thread === undefined ? null : (
        <div>
          <dt>Session</dt>
          <dd>
            <Text>{run.thread}</Text>
          </dd>
        </div>
      )}
      <div>
        <dt>Journal</dt>
        <dd>{many(run.events.length, 'entry', 'entries')}</dd>
      </div>
    </dl>
  )
}

type TravelProps = {
  readonly run: RunWithEvents
  readonly at: number
  readonly following: boolean
  readonly onSeen: (seen: number | undefined) => void
}

function Travel({ run, at, following, onSeen }: TravelProps) {
  const most = run.events.length
  const event = run.events[at - 1]
  return (
    <div className="travel">
      <p className="small">
        <b>{following ? 'Now' : 'Looking back'}</b> entry {at} of {most}
        {event === undefined ? '' : `: ${event.type}`}
      </p>
      <div className="acts">
        <Button size="small" label="Previous entry" off={at <= 1} onClick={() => onSeen(Math.max(1, at - 1))}>
          <Icon name="back" />
        </Button>
        <input
          type="range"
          className="grow"
          min={most === 0 ? 0 : 1}
          max={most}
          value={at}
          aria-label="Entry of the journal"
          onChange={(change) => {
            const next = Number(change.target.value)
            onSeen(next >= most ? undefined : next)
          }}
        />
        <Button
          size="small"
          label="Next entry"
          off={at >= most}
          onClick={() => onSeen(at + 1 >= most ? undefined : at + 1)}
        >
          <Icon name="open" />
        </Button>
        <Button size="small" pressed={following} onClick={() => onSeen(undefined)}>
          Follow
        </Button>
      </div>
    </div>
  )
}

type JournalProps = { readonly run: RunWithEvents; readonly at: number; readonly walked: Walked }

/** The same as the graph, as a list. */
function Journal({ run, at, walked }: JournalProps) {
  return (
    <aside className="side-pane run-side" aria-label="Journal">
      <WaitsForPerson waitsFor={run.waits_for} />
      {run.fault === undefined ? null : (
        <Note kind="block" icon="warn">
          <p>
            <b>A step failed {many(run.fault.count, 'time')}.</b>{' '}
            {run.fault.says === undefined ? null : <Text>{run.fault.says}</Text>}
          </p>
        </Note>
      )}
      {walked.from === 'table' ? (
        <section>
          <h2>Nodes</h2>
          <ul className="small">
            {walked.nodes.map((node) => (
              <li key={node.id}>
                <b>{node.id}</b>{' '}
                <span className="dim">
                  {node.times === 0 ? 'no entry' : `visited ${node.times}×`}
                  {node.here ? ', current' : ''}. {node.says}
                </span>
              </li>
            ))}
          </ul>
        </section>
      ) : null}
      <section>
        <h2>Journal</h2>
        <ol className="journal">
          {run.events.map((event, index) => (
            <li
              key={event.seq}
              className={index >= at ? 'later' : undefined}
              aria-current={index === at - 1 ? 'step' : undefined}
            >
              <span className="num faint">{event.seq}</span>
              <span>
                <b className="mono">
                  <Text>{event.type}</Text>
                </b>{' '}
                <span className="small dim">
                  <Text>{event.name ?? event.key?.split('/').at(-1) ?? ''}</Text>
                  {event.by === undefined ? null : (
                    <>
                      {' '}
                      by <Text>{event.by}</Text>
                    </>
                  )}
                </span>
                {event.call_id === undefined ? null : (
                  <>
                    {' '}
                    <Link to="/activity/$id" params={{ id: event.call_id }} className="small">
                      the call
                    </Link>
                  </>
                )}
              </span>
              <time className="tiny faint">{event.at === undefined ? '' : clockTime(event.at)}</time>
            </li>
          ))}
        </ol>
      </section>
    </aside>
  )
}

function Actions({ run }: { readonly run: RunWithEvents }) {
  const mayResume = useMay('administer')
  const client = useQueryClient()
  const act = useMutation({
    mutationFn: (what: 'cancel' | 'resume') =>
      ask(`/v1/runs/${run.run_id}/${what}`, { method: 'POST', ...(what === 'cancel' ? { json: {} } : {}) }),
    onSuccess: (_, what) => say(what === 'cancel' ? 'The run was asked to stop.' : 'The run was resumed.'),
    onSettled: () => client.invalidateQueries({ queryKey: ['runs'] }),
  })
  const isOver = run.status === 'done' || run.status === 'failed' || run.status === 'cancelled'
  return (
    <>
      {act.error === null ? null : (
        <span className="hint wrong" role="alert">
          {problemOf(act.error).title}
        </span>
      )}
      {run.status === 'faulted' && mayResume ? (
        <Button size="small" busy={act.isPending} onClick={() => act.mutate('resume')}>
          Resume
        </Button>
      ) : null}
      {isOver ? null : (
        <Button kind="deny" size="small" busy={act.isPending} onClick={() => act.mutate('cancel')}>
          Stop
        </Button>
      )}
    </>
  )
}
