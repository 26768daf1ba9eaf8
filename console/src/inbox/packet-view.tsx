import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useCallback, useDeferredValue, useEffect, useRef, useState } from 'react'
import { packetQuery } from '../api/queries.ts'
import type { Packet } from '../api/types.ts'
import { announce } from '../lib/announce.ts'
import { useKeys } from '../lib/keys.ts'
import { useInert } from '../lib/use-inert.ts'
import { useNow } from '../lib/use-now.ts'
import { shownText } from '../lib/visible.ts'
import { Failed, Skeleton } from '../parts/states.tsx'
import { useDecidingOff } from '../shell/use-gate.ts'
import { ChangedNote, ClosedNote } from './closed-note.tsx'
import { DecisionBar } from './decision-bar.tsx'
import { EditPacket } from './edit-packet.tsx'
import { PacketBody, PacketHead } from './packet-body.tsx'
import { SourceNote } from './source-note.tsx'
import { useUnfolding } from './use-unfolding.ts'

type PacketViewProps = {
  readonly id: string
  readonly alike: number
  readonly group: string | undefined
  /** Whether the sentence is focused when it is shown. Off if somebody may be typing next to it. */
  readonly takesFocus?: boolean
  readonly onBack: () => void
  readonly onDecided: () => void
}

/**
 * One request, as it was when it was opened. INVARIANT: the shown version is replaced only on request; a newer version is shown
 * next to it, and until then nothing can be decided.
 */
export function PacketView({ id, alike, group, takesFocus = true, onBack, onDecided }: PacketViewProps) {
  const query = useQuery({ ...packetQuery(id), gcTime: 0, staleTime: 0, refetchOnMount: 'always' })
  const latest = query.data
  const [read, setRead] = useState<Packet>()
  const [isEditing, setEditing] = useState(false)
  const [isSourceOpen, setSourceOpen] = useState(false)
  const [lost, setLost] = useState(false)
  const sentence = useRef<HTMLHeadingElement>(null)
  if (read === undefined && latest !== undefined && !query.isFetching) setRead(latest)
  // Drawn in small slices, so that a slow machine can react in between.
  const packet = useDeferredValue(read)
  const unfolding = useUnfolding(packet)
  const inert = useInert(packet && `${packet.digest} ${isEditing} ${unfolding.left.length}`)
  const connectionOff = useDecidingOff()
  const now = useNow()
  const isNewer =
    latest !== undefined && packet !== undefined && latest.state === 'pending' && latest.digest !== packet.digest
  const isClosed = latest !== undefined && latest.state !== 'pending'

  useEffect(() => {
    const active = document.activeElement
    if (takesFocus && packet !== undefined && !(active instanceof HTMLInputElement)) sentence.current?.focus()
  }, [packet, takesFocus])
  useExpiryAnnouncements(packet?.expires_at, now)
  const edit = useCallback(() => setEditing(true), [])
  useKeys({
    s: () => setSourceOpen(!isSourceOpen),
    Enter: () => {
      if (document.activeElement instanceof HTMLElement && document.activeElement.closest('a, button') !== null)
        return false
      sentence.current?.focus()
      return undefined
    },
  })

  if (packet === undefined || latest === undefined)
    return query.isError ? <Failed error={query.error} onRetry={() => void query.refetch()} /> : <Skeleton rows={4} />
  const off = offReason({
    connectionOff,
    isNewer,
    isClosed,
    isExpired: packet.expires_at <= now,
    isStale: query.isError,
    hub: packet.decided_at?.hub,
  })
  // Who has approved and who is asked are not part of the decision, so they are always current.
  const { decisions, asked, state } = latest
  const shown: Packet = { ...packet, decisions, asked, state }
  if (isEditing && !isClosed && !isNewer)
    return <EditPacket packet={shown} off={off} inert={inert} onBack={() => setEditing(false)} headRef={sentence} />
  return (
    <>
      <div className="packet-scroll">
        <div className="packet-in">
          {isNewer ? (
            <ChangedNote
              before={packet}
              after={latest}
              refused={lost}
              onRead={() => {
                setRead(latest)
                setLost(false)
              }}
            />
          ) : null}
          {isClosed ? <ClosedNote packet={shown} lost={lost} /> : null}
          <PacketHead packet={shown} closed={isClosed || isNewer} headRef={sentence} onBack={onBack} />
          {alike > 1 && group !== undefined && !isClosed ? (
            <p className="small">
              <Link to="/batch/$id" params={{ id: group }}>
                {alike} similar calls: decide them together
              </Link>
            </p>
          ) : null}
          <SourceNote packet={packet} open={isSourceOpen} onToggle={() => setSourceOpen(!isSourceOpen)} onEdit={edit} />
          <PacketBody packet={shown} unfolding={unfolding} onSource={() => setSourceOpen(true)} />
        </div>
      </div>
      <DecisionBar
        packet={shown}
        folded={unfolding.left}
        off={off}
        inert={inert}
        onEdit={edit}
        onDecided={onDecided}
        onRefused={() => {
          setLost(true)
          void query.refetch()
        }}
      />
    </>
  )
}

type Off = {
  readonly connectionOff: string | undefined
  readonly isNewer: boolean
  readonly isClosed: boolean
  readonly isExpired: boolean
  readonly isStale: boolean
  /** Decides instead of this gate. */
  readonly hub: string | undefined
}

function offReason({ connectionOff, isNewer, isClosed, isExpired, isStale, hub }: Off): string | undefined {
  if (isClosed) return 'This request is closed. There is nothing to decide here.'
  if (hub !== undefined) return `Decided at the hub ${shownText(hub)}, not here.`
  if (isNewer) return 'This changed while you were reading. Read the new request first.'
  if (isExpired) return 'Nobody decided in time.'
  if (connectionOff !== undefined) return connectionOff
  return isStale ? 'This could not be read again. You cannot decide on old data.' : undefined
}

const MARKS = [300_000, 60_000] as const

/** The countdown is silent, except for these two moments. */
function useExpiryAnnouncements(until: number | undefined, now: number): void {
  const last = useRef(now)
  useEffect(() => {
    if (until !== undefined)
      for (const mark of MARKS)
        if (until - last.current > mark && until - now <= mark && until > now)
          announce(mark === 60_000 ? '1 minute left to decide' : '5 minutes left to decide')
    last.current = now
  }, [until, now])
}
