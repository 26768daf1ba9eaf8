import { Link } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { memo, useEffect, useRef } from 'react'
import type { CallSummary } from '../../../server/src/kernel/contract/activity.ts'
import { CallerName } from '../parts/caller-name.tsx'
import { clockTime, exactTime, isToday, lasted, shortTime } from '../lib/time.ts'
import { GateText } from '../parts/gate-text.tsx'
import { Sentence } from '../parts/sentence.tsx'
import { Verdict } from '../parts/verdict.tsx'
import type { CallFilters } from './calls-query.ts'

type TableProps = {
  readonly calls: readonly CallSummary[]
  readonly chosen: string | undefined
  readonly filters: CallFilters
  readonly hasMore: boolean
  readonly onMore: () => void
}

const ROW = 58
const AHEAD = 20

/** Only the rows that can be seen are on the page, however many there are. */
export function CallTable({ calls, chosen, filters, hasMore, onMore }: TableProps) {
  const scroll = useRef<HTMLDivElement>(null)
  const rows = useVirtualizer({
    count: calls.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => ROW,
    overscan: 12,
    // Rows are drawn in a later React update: drawing them in the scroll event would make scrolling slow.
    useFlushSync: false,
    getItemKey: (at) => calls[at]?.call_id ?? at,
  })
  const items = rows.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (hasMore && last >= calls.length - AHEAD) onMore()
  }, [hasMore, last, calls.length, onMore])
  return (
    <div className="calls" role="table" aria-label="Calls" aria-rowcount={hasMore ? -1 : calls.length + 1}>
      <div role="rowgroup" className="calls-head">
        <div role="row" aria-rowindex={1} className="call-row">
          {['Time', 'Verdict', 'Call', 'Why'].map((name) => (
            <span key={name} role="columnheader">
              {name}
            </span>
          ))}
          <span role="columnheader" className="took">
            Took
          </span>
        </div>
      </div>
      <div className="scroll" ref={scroll} role="rowgroup" tabIndex={0}>
        <div className="rows" style={{ height: rows.getTotalSize() }}>
          {items.map((item) => {
            const call = calls[item.index]
            return call === undefined ? null : (
              <div
                key={item.key}
                role="row"
                aria-rowindex={item.index + 2}
                data-index={item.index}
                ref={rows.measureElement}
                className={call.call_id === chosen ? 'call-row chosen' : 'call-row'}
                style={{ transform: `translateY(${item.start}px)` }}
              >
                <Cells call={call} filters={filters} chosen={call.call_id === chosen} />
              </div>
            )
          })}
        </div>
      </div>
    </div>
  )
}

type CellsProps = { readonly call: CallSummary; readonly filters: CallFilters; readonly chosen: boolean }

/** A row is drawn once, so that scrolling costs only the rows that become visible. */
const Cells = memo(function Cells({ call, filters, chosen }: CellsProps) {
  return (
    <>
      <time
        role="cell"
        className="when"
        dateTime={new Date(call.received_at).toISOString()}
        title={exactTime(call.received_at)}
      >
        {isToday(call.received_at) ? clockTime(call.received_at) : shortTime(call.received_at)}
      </time>
      <span role="cell" className="verdict-cell">
        <Verdict of={call} />
      </span>
      <span role="cell" className="what">
        <Link
          to="/activity/$id"
          params={{ id: call.call_id }}
          search={filters}
          aria-current={chosen ? 'true' : undefined}
        >
          <Sentence of={call.sentence} />
        </Link>
        <span className="tiny faint">
          <CallerName id={call.asked_by.id} user={call.asked_by.user} /> · <code>{call.tool_id}</code>
        </span>
      </span>
      <span role="cell" className="why-cell">
        <GateText>
          {call.state === 'failed' || call.state === 'unknown' ? (call.problem?.says ?? call.why) : call.why}
        </GateText>
      </span>
      <span role="cell" className="took num">
        {tookOf(call)}
      </span>
    </>
  )
})

function tookOf({ state, started_at, ended_at, received_at }: CallSummary): string {
  if (state === 'unknown') return '?'
  if (state === 'pending') return ''
  return ended_at === undefined ? '' : lasted(ended_at - (started_at ?? received_at))
}
