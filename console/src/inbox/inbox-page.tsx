import { useNavigate, useParams, useRouterState } from '@tanstack/react-router'
import { lazy, memo, Suspense, useEffect, useRef, useState, type ReactNode } from 'react'
import type { Packet } from '../api/types.ts'
import { connection } from '../api/stream.ts'
import { isWide } from '../lib/is-wide.ts'
import { useKeys } from '../lib/keys.ts'
import { useStore } from '../lib/store.ts'
import { loaded } from '../lib/outdated.ts'
import { Empty, Skeleton, ListStates } from '../parts/states.tsx'
import { HeldRow } from './held-row.tsx'
import { useInbox, type InboxRow } from './use-inbox.ts'

/** A phone shows the list first, so the view of one call is loaded separately: immediately if both fit on the screen, otherwise after the list. */
const loadPacket = () => loaded(import('./packet-view.tsx'))
const loadBatch = () => loaded(import('./batch.tsx'))
const PacketView = lazy(async () => ({ default: (await loadPacket()).PacketView }))
const Batch = lazy(async () => ({ default: (await loadBatch()).Batch }))
if (isWide()) void Promise.allSettled([loadPacket()])

const QUARTER_HOUR = 900_000
const DAY = 86_400_000

export function InboxPage() {
  const { id: selected }: { readonly id?: string } = useParams({ strict: false })
  const isBatch = useRouterState({ select: ({ location }) => location.pathname.startsWith('/batch/') })
  const go = useNavigate()
  const inbox = useInbox(selected)
  const { rows, drawn, fresh, waiting, query } = inbox
  const opened = useRef(false)

  const openRow = (row: InboxRow | undefined, replace = false) => {
    if (row === undefined) return void go({ to: '/', replace })
    void go({ to: row.alike.length > 1 ? '/batch/$id' : '/approvals/$id', params: { id: row.id }, replace })
  }
  const at = rows.findIndex(
    ({ id, alike }) => id === selected || alike.some(({ approval_id }) => approval_id === selected),
  )

  // The first request is opened with the page, never later, so that the selection does not change while somebody reads.
  useEffect(() => {
    if (opened.current || query.data === undefined || (query.data.length > 0 && rows.length === 0)) return
    opened.current = true
    // If the person has already gone to another page, stay there, even while it is loading.
    const isHere = location.hash === '' || location.hash === '#/'
    if (selected === undefined && isHere && isWide()) openRow(rows[0], true)
  })

  const isRead = query.data !== undefined
  useEffect(() => {
    // If the gate cannot be reached now, they are loaded when a call is opened.
    if (isRead) void Promise.allSettled([loadPacket(), loadBatch()])
  }, [isRead])

  const move = (by: 1 | -1) => openRow(rows[Math.max(0, Math.min(rows.length - 1, at === -1 ? 0 : at + by))])
  const back = () => {
    if (isWide()) document.querySelector<HTMLElement>(`[data-row="${CSS.escape(rows[at]?.id ?? '')}"]`)?.focus()
    else void go({ to: '/' })
  }
  useKeys({
    j: () => move(1),
    ArrowDown: () => move(1),
    k: () => move(-1),
    ArrowUp: () => move(-1),
    u: back,
  })
  const onDecided = () => {
    // If the person has gone to another page meanwhile, stay there.
    if (selected === undefined || !location.hash.includes(selected)) return
    if (!isWide()) return void go({ to: '/' })
    const next =
      rows.find((row, index) => index > at && !row.over) ?? rows.find((row, index) => index < at && !row.over)
    if (next !== undefined) openRow(next)
  }

  // A batch stays on the page while some of it are decided.
  const [batch, setBatch] = useState<{ readonly id: string; readonly packets: readonly Packet[] }>()
  const group = isBatch ? rows[at] : undefined
  if (selected !== undefined && group !== undefined && group.alike.length > 1 && batch?.id !== selected)
    setBatch({ id: selected, packets: group.alike })
  return (
    <div className="inbox">
      <section
        className="held-list"
        aria-label="Held calls"
        onPointerEnter={() => inbox.onPointer(true)}
        onPointerLeave={() => inbox.onPointer(false)}
      >
        <div className="list-head">
          <h1>Inbox</h1>
          <span className="faint small">{waiting === undefined ? '' : waiting === 0 ? '' : `${waiting} waiting`}</span>
          <span className="grow" />
          <button type="button" className="new-chip" hidden={fresh === 0} onClick={inbox.show}>
            {fresh} new, show
          </button>
          <LiveSign />
        </div>
        <div className="scroll">
          <ListStates
            of={query}
            empty={
              rows.length === 0 ? (
                <Empty title="No pending requests">
                  <p className="small">Sluice is running. Calls that need approval appear here.</p>
                </Empty>
              ) : undefined
            }
          >
            {drawn.length === 0 ? <Skeleton /> : <Rows rows={drawn} selected={rows[at]?.id} />}
          </ListStates>
        </div>
      </section>
      {selected === undefined ? (
        <Pane open={false}>
          <Empty title={rows.length === 0 ? 'Nothing to decide' : 'Select a call'} />
        </Pane>
      ) : isBatch && batch?.id === selected ? (
        <Pane open>
          <Batch key={selected} packets={batch.packets} onBack={back} onDone={onDecided} />
        </Pane>
      ) : (
        <Pane open>
          <PacketView
            key={selected}
            id={selected}
            alike={rows[at]?.alike.length ?? 1}
            group={rows[at]?.id}
            onBack={back}
            onDecided={onDecided}
          />
        </Pane>
      )}
    </div>
  )
}

function Pane({ open, children }: { readonly open: boolean; readonly children: ReactNode }) {
  return (
    <section className={open ? 'packet open' : 'packet'} aria-label="Selected call">
      <Suspense fallback={<Skeleton rows={4} />}>{children}</Suspense>
    </section>
  )
}

type RowsProps = { readonly rows: readonly InboxRow[]; readonly selected: string | undefined }

const Rows = memo(function Rows({ rows, selected }: RowsProps) {
  const now = Date.now()
  const groupOf = ({ packet }: InboxRow) => {
    const left = packet.expires_at - now
    return left < QUARTER_HOUR ? 'Soon' : left < DAY ? 'Later today' : 'Later'
  }
  return (
    <ul>
      {rows.map((row, index) => {
        const name = groupOf(row)
        const previous = rows[index - 1]
        const isFirst = previous === undefined || groupOf(previous) !== name
        return (
          <li key={row.id}>
            {isFirst ? (
              <p className="list-group">
                <span>{name}</span>
                {index === 0 ? <span>time left</span> : null}
              </p>
            ) : null}
            <HeldRow row={row} chosen={row.id === selected} />
          </li>
        )
      })}
    </ul>
  )
})

export function LiveSign() {
  const { state } = useStore(connection)
  return (
    <span className="live">
      <span className={state === 'live' ? 'dot' : 'dot warn'} aria-hidden="true" />
      {state === 'live' ? 'live' : state === 'lost' ? 'not live' : 'reading'}
    </span>
  )
}
