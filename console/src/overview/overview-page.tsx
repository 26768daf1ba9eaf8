import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import type { OverviewAnswer } from '../../../server/src/kernel/contract/activity.ts'
import { ask } from '../api/client.ts'
import { agentName } from '../inbox/packet-words.ts'
import { count, lasted, many, shortTime } from '../lib/time.ts'
import { Icon } from '../parts/icon.tsx'
import { Failed, Skeleton } from '../parts/states.tsx'
import { Text } from '../parts/text.tsx'
import { Attention } from './attention.tsx'
import { BarChart, LineChart, RowBars } from './charts.tsx'
import { MissingGuards } from './missing-guards.tsx'
import { OverviewTables } from './overview-tables.tsx'

const SPANS = [
  [1, '1 h'],
  [24, '24 h'],
  [168, '7 d'],
] as const

export function OverviewPage() {
  const [hours, setHours] = useState<number>(24)
  const [tables, setTables] = useState(false)
  const query = useQuery({
    queryKey: ['overview', hours],
    queryFn: ({ signal }) => ask<OverviewAnswer>(`/v1/overview?hours=${hours}`, { signal }),
    refetchInterval: 30_000,
    staleTime: 10_000,
    placeholderData: (before) => before,
  })
  const { data } = query
  return (
    <>
      <div className="top">
        <h1>Overview</h1>
        <span className="faint small wide">
          {data === undefined || data.complete_from <= data.from
            ? ''
            : `figures since ${shortTime(data.complete_from)}`}
        </span>
        <span className="grow" />
        <div className="tabs" role="group" aria-label="Period">
          {SPANS.map(([span, name]) => (
            <button key={span} type="button" aria-pressed={hours === span} onClick={() => setHours(span)}>
              {name}
            </button>
          ))}
        </div>
        <button type="button" className="btn quiet small" aria-pressed={tables} onClick={() => setTables(!tables)}>
          As tables
        </button>
      </div>
      <div className="scroll">
        <div className="attention-place">
          <MissingGuards />
          <Attention />
        </div>
        {query.isError && data === undefined ? (
          <Failed error={query.error} onRetry={() => void query.refetch()} />
        ) : data === undefined ? (
          <Skeleton />
        ) : tables ? (
          <OverviewTables of={data} />
        ) : (
          <Tiles of={data} hours={hours} />
        )}
      </div>
    </>
  )
}

type TileProps = {
  readonly title: string
  readonly aside?: string
  readonly wide?: 'w6' | 'w8'
  readonly children: ReactNode
}

function Tile({ title, aside, wide, children }: TileProps) {
  return (
    <section className={wide === undefined ? 'card tile' : `card tile ${wide}`} aria-label={title}>
      <div className="tile-head">
        <h2>{title}</h2>
        {aside === undefined ? null : <span className="faint tiny">{aside}</span>}
      </div>
      {children}
    </section>
  )
}

function Tiles({ of, hours }: { readonly of: OverviewAnswer; readonly hours: number }) {
  const points = of.series.map(({ at, ran, asked, blocked, failed }) => ({ at, n: ran + asked + blocked + failed }))
  const timeOf = (at: number) =>
    hours > 24
      ? new Date(at).toLocaleDateString(undefined, { weekday: 'short' })
      : new Date(at).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
  const slowest = Math.log10(Math.max(2, ...of.slowest.map(({ p95_ms }) => p95_ms + 1)))
  return (
    <div className="body tiles">
      <Tile title="Calls" aside={`${many(of.calls, 'call')}, per ${lasted(of.step_ms)}`} wide="w8">
        <p className="big">
          {count(of.per_minute)} <small>in the last minute</small>
        </p>
        <LineChart points={points} label={`Calls over time, ${many(of.calls, 'call')}`} timeOf={timeOf} />
      </Tile>
      <Mix of={of} />
      <Tile title="Time to decide" aside={`${many(of.held.count, 'decision')}, in minutes`}>
        <p className="big">
          {of.held.median_ms === undefined ? '–' : lasted(of.held.median_ms)}{' '}
          <small>{of.held.median_ms === undefined ? 'no decisions yet' : 'median'}</small>
        </p>
        <BarChart label="Decisions by the minutes they took" bars={bucketsOf(of)} />
      </Tile>
      <Tile title="Slowest tools" aside="p95, log scale">
        {of.slowest.length === 0 ? (
          <p className="small dim">No calls ran in this period.</p>
        ) : (
          <>
            <RowBars
              rows={of.slowest.slice(0, 6).map(({ tool_id, p95_ms }) => ({
                key: tool_id,
                name: <code>{tool_id}</code>,
                says: lasted(p95_ms),
                share: Math.log10(p95_ms + 1) / slowest,
              }))}
            />
          </>
        )}
      </Tile>
      <Tokens of={of} />
      <Agents of={of} />
    </div>
  )
}

function bucketsOf({ held }: OverviewAnswer) {
  let from = 0
  const bars = held.buckets.map(({ under_minutes, count: n }) => {
    const name = under_minutes === null ? `> ${from}` : from === 0 ? `< ${under_minutes}` : `${from}–${under_minutes}`
    from = under_minutes ?? from
    return { name, n }
  })
  return [...bars, { name: 'expired', n: held.expired, kind: 'c-ask' }]
}

function Mix({ of }: { readonly of: OverviewAnswer }) {
  const { ran, asked, blocked, failed, unknown } = of.mix
  const others = asked + blocked + failed + unknown
  const share = (n: number) => (of.calls === 0 ? '' : `${((100 * n) / of.calls).toFixed(1)} %`)
  const rows = [
    ['ask', 'hand', 'Asked', asked],
    ['block', 'block', 'Blocked', blocked],
    ['', 'warn', 'Failed', failed],
    ['', 'unknown', 'Unknown', unknown],
  ] as const
  return (
    <Tile title="Outcomes">
      <p className="big">
        {of.calls === 0 ? '–' : share(ran)} <small>automatic</small>
      </p>
      <p className="small dim">{others === 0 ? 'No other calls.' : `${many(others, 'other call')}:`}</p>
      <div className="mix" aria-hidden="true">
        {rows.map(([kind, , name, n]) =>
          n === 0 ? null : (
            <span key={name} className={kind === '' ? 'mix-other' : `mix-${kind}`} style={{ flexGrow: n }} />
          ),
        )}
      </div>
      <ul className="mix-key">
        {rows.map(([kind, icon, name, n]) => (
          <li key={name}>
            <span className={`verdict ${kind}`}>
              <Icon name={icon} />
              {name}
            </span>
            <span className="num">{count(n)}</span>
            <span className="num faint">{share(n)}</span>
          </li>
        ))}
      </ul>
    </Tile>
  )
}

function Tokens({ of }: { readonly of: OverviewAnswer }) {
  const { all_tools, search, tools } = of.tokens
  const saved = Math.max(0, all_tools - search)
  return (
    <Tile title="Prompt tokens saved" aside="estimated">
      <p className="big">
        {count(saved)} <small>per session</small>
      </p>
      <RowBars
        rows={[
          { key: 'all', name: `All ${tools} tools in the prompt`, says: count(all_tools), share: 1 },
          {
            key: 'search',
            name: 'Tools loaded when needed',
            says: count(search),
            share: search / Math.max(1, all_tools, search),
          },
        ]}
      />
    </Tile>
  )
}

function Agents({ of }: { readonly of: OverviewAnswer }) {
  return (
    <Tile title="Agents" aside="calls, asked, blocked" wide="w6">
      {of.callers.length === 0 ? (
        <p className="small dim">No calls.</p>
      ) : (
        <ul className="agents">
          {of.callers.slice(0, 8).map((caller) => (
            <li key={`${caller.id} ${caller.user}`}>
              <span className="face agent" aria-hidden="true">
                <Icon name="agent" />
              </span>
              <Link to="/activity" search={{ caller: caller.id }} className="grow">
                <Text>{agentName(caller.id)}</Text>
              </Link>
              <span className="num">{count(caller.calls)}</span>
              <span className="num verdict ask">{count(caller.asked)}</span>
              <span className="num verdict block">{count(caller.blocked)}</span>
            </li>
          ))}
        </ul>
      )}
    </Tile>
  )
}
