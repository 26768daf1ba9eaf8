import { useQuery } from '@tanstack/react-query'
import { useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { pendingQuery } from '../api/queries.ts'
import type { Packet } from '../api/types.ts'
import { announce } from '../lib/announce.ts'
import { many } from '../lib/time.ts'
import { alikeKey } from '../../../server/src/kernel/contract/alike.ts'

/** One line of the list: one request, or several that are alike. */
export type InboxRow = {
  readonly id: string
  readonly packet: Packet
  readonly alike: readonly Packet[]
  readonly over: boolean
}

const NONE: readonly Packet[] = []

const byUrgency = (packets: readonly Packet[]): Packet[] =>
  packets.toSorted((a, b) => a.expires_at - b.expires_at || a.created_at - b.created_at)

/**
 * The rows of the list. INVARIANT: nothing moves under the pointer: new requests are added on request, and a decided one
 * stays in its place until the pointer has left the list.
 */
export function useInbox(selected: string | undefined) {
  const query = useQuery(pendingQuery)
  const { data } = query
  const [shown, setShown] = useState<readonly Packet[] | undefined>(() => data && byUrgency(data))
  const pointer = useRef(false)
  const announced = useRef(0)
  const pending = useMemo(() => new Map((data ?? []).map((packet) => [packet.approval_id, packet])), [data])

  useEffect(() => {
    if (data === undefined) return
    setShown((before) => {
      const after =
        before === undefined || before.length === 0
          ? byUrgency(data)
          : settle(before, pending, (packet) => pointer.current || packet.approval_id === selected)
      return before !== undefined && isSame(before, after) ? before : after
    })
  }, [data, pending, selected])

  const list = useMemo(() => shown ?? (data === undefined ? NONE : byUrgency(data)), [shown, data])
  const rows = useMemo(() => rowsOf(list, pending), [list, pending])
  // Rows are drawn in small slices, so that a slow phone can react in between.
  const drawn = useDeferredValue(rows)
  const known = new Set(list.map(({ approval_id }) => approval_id))
  const fresh = (data ?? []).filter(({ approval_id }) => !known.has(approval_id))
  useEffect(() => {
    if (fresh.length > announced.current) announce(many(fresh.length, 'new call'))
    announced.current = fresh.length
  }, [fresh.length])

  const show = useCallback(() => setShown(data === undefined ? undefined : byUrgency(data)), [data])
  const onPointer = useCallback(
    (isInside: boolean) => {
      pointer.current = isInside
      if (isInside) return
      setShown((before) => before && settle(before, pending, (packet) => packet.approval_id === selected))
    },
    [pending, selected],
  )
  return { query, rows, drawn, fresh: fresh.length, waiting: data?.length, show, onPointer }
}

const isSame = (before: readonly Packet[], after: readonly Packet[]): boolean =>
  before.length === after.length && before.every((packet, at) => packet === after[at])

/** Updates the list. An edited request is replaced by its new version in the same place. */
function settle(
  before: readonly Packet[],
  pending: ReadonlyMap<string, Packet>,
  stays: (packet: Packet) => boolean,
): readonly Packet[] {
  const successors = new Map([...pending.values()].map((packet) => [packet.call_id, packet]))
  const after = before.flatMap((packet) => {
    const now = pending.get(packet.approval_id)
    if (now !== undefined) return [now]
    const successor = successors.get(packet.call_id)
    if (successor !== undefined && !before.includes(successor)) return [successor]
    return stays(packet) ? [packet] : []
  })
  const seen = new Set<string>()
  return after.filter(({ approval_id }) => !seen.has(approval_id) && seen.add(approval_id))
}

function rowsOf(list: readonly Packet[], pending: ReadonlyMap<string, Packet>): readonly InboxRow[] {
  const groups = Map.groupBy(
    list.filter(({ approval_id }) => pending.has(approval_id)),
    (packet) => alikeKey(packet) ?? packet.approval_id,
  )
  const taken = new Set<string>()
  return list.flatMap((packet): InboxRow[] => {
    const id = packet.approval_id
    if (taken.has(id)) return []
    const over = !pending.has(id)
    const alike = over ? [packet] : (groups.get(alikeKey(packet) ?? id) ?? [packet])
    for (const one of alike) taken.add(one.approval_id)
    return [{ id, packet, alike, over }]
  })
}
