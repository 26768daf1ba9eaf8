import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { gate } from '../api/client.ts'
import type { ListedEntry } from '../api/types.ts'

const PAGE = 100
const LOOK_EVERY_MS = 5_000
/** After a longer absence, the list is read again instead. */
const MOST_PAGES = 5
/** The last time that a date can have. */
const LATEST = 8.64e15

export const keyOf = ({ stream, seq }: Pick<ListedEntry, 'stream' | 'seq'>): string => `${stream} ${seq}`

const readPage = (query: { readonly cursor?: string; readonly from?: number }, signal: AbortSignal) =>
  gate.ask('GET /v1/audit/newest', { query: { limit: PAGE, ...query }, signal }).then((page) => ({
    ...page,
    items: page.items.map(readable),
  }))

/** An entry that somebody changed in the store is returned as it is there, and has to be shown too. */
function readable(entry: ListedEntry): ListedEntry {
  const { at, seq, subject, ...rest } = entry as Record<keyof ListedEntry, unknown>
  const text = (given: unknown) => (typeof given === 'string' ? given : '')
  const call = text((subject as ListedEntry['subject'] | undefined)?.['call'])
  return {
    ...entry,
    at: typeof at === 'number' && Math.abs(at) < LATEST ? at : 0,
    seq: typeof seq === 'number' ? seq : 0,
    type: text(rest.type),
    stream: text(rest.stream),
    hash: text(rest.hash),
    subject: {
      ...(typeof subject === 'object' ? (subject as ListedEntry['subject']) : {}),
      ...(call === '' ? {} : { call }),
    },
  }
}

/** Entries from the newest backwards, and what has been recorded since on top of them. With `from`, only those up to that entry. */
export function useAudit(from: number | undefined) {
  const client = useQueryClient()
  const query = useInfiniteQuery({
    queryKey: ['audit', 'pages', from],
    queryFn: ({ pageParam, signal }) =>
      readPage(
        { ...(from === undefined ? {} : { from }), ...(pageParam === undefined ? {} : { cursor: pageParam }) },
        signal,
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next_cursor,
    staleTime: 0,
    gcTime: 0,
  })
  const read = query.data?.pages.flatMap(({ items }) => items) ?? []
  const since = read[0] === undefined ? '' : keyOf(read[0])
  const arrivedKey = ['audit', 'arrived', since]
  const { data: arrived = [] } = useQuery({
    queryKey: arrivedKey,
    queryFn: async ({ signal }) => {
      const before = client.getQueryData<readonly ListedEntry[]>(arrivedKey) ?? []
      const known = new Set([...before, ...read].map(keyOf))
      const fresh: ListedEntry[] = []
      let cursor: string | undefined
      for (let pages = 0; pages < MOST_PAGES; pages += 1) {
        const page = await readPage(cursor === undefined ? {} : { cursor }, signal)
        const news = page.items.filter((entry) => !known.has(keyOf(entry)))
        fresh.push(...news)
        if (news.length < page.items.length || page.next_cursor === undefined) return [...fresh, ...before]
        cursor = page.next_cursor
      }
      await client.invalidateQueries({ queryKey: ['audit', 'pages'] })
      return []
    },
    enabled: since !== '' && from === undefined,
    refetchInterval: LOOK_EVERY_MS,
    staleTime: 0,
    gcTime: 0,
  })
  return { query, entries: [...arrived, ...read], arrived: arrived.length }
}
