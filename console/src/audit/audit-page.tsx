import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ask, askBlob, withQuery } from '../api/client.ts'
import { problemOf } from '../api/problem.ts'
import type { AuditEntry, Page } from '../api/types.ts'
import { saveFile } from '../lib/save-file.ts'
import { clockTime, exactTime, isToday, shortTime } from '../lib/time.ts'
import { Button } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { Empty, Failed, Skeleton } from '../parts/states.tsx'
import { Text } from '../parts/text.tsx'
import { Verify } from './verify.tsx'

const PAGE = 100

/** The audit: its entries, verification, export, and proof of one entry. */
export function AuditPage() {
  const [from, setFrom] = useState(1)
  const query = useInfiniteQuery({
    queryKey: ['audit', from],
    queryFn: ({ pageParam, signal }) =>
      ask<Page<AuditEntry>>(withQuery('/v1/audit', { after: pageParam, limit: PAGE }), { signal }),
    initialPageParam: from - 1,
    getNextPageParam: (last) => last.next,
    staleTime: 0,
  })
  const entries = query.data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <>
      <div className="top">
        <h1>Audit</h1>
        <span className="grow" />
        <label className="small dim nowrap">
          From entry{' '}
          <input
            className="input from-entry"
            type="number"
            min={1}
            value={from}
            onChange={(event) => setFrom(Math.max(1, Number(event.target.value) || 1))}
          />
        </label>
        <Export />
      </div>
      <div className="scroll">
        <div className="body">
          <Verify />
          {query.isError ? (
            <Failed error={query.error} onRetry={() => void query.refetch()} />
          ) : query.data === undefined ? (
            <Skeleton />
          ) : entries.length === 0 ? (
            <Empty title="No entries here" />
          ) : (
            <section className="card" aria-label="Entries">
              <ol>
                {entries.map((entry) => (
                  <Entry key={`${entry.stream} ${entry.seq}`} entry={entry} />
                ))}
              </ol>
              {query.hasNextPage ? (
                <div className="card-body">
                  <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                    Show more
                  </Button>
                </div>
              ) : null}
            </section>
          )}
        </div>
      </div>
    </>
  )
}

function Entry({ entry }: { readonly entry: AuditEntry }) {
  const [proof, setProof] = useState<'busy' | { readonly failed: string }>()
  const prove = async () => {
    setProof('busy')
    try {
      const blob = await askBlob(withQuery(`/v1/audit/prove/${entry.seq}`, { stream: entry.stream }))
      saveFile(blob, `proof-${entry.seq}.json`)
      setProof(undefined)
    } catch (error) {
      setProof({ failed: problemOf(error).detail || problemOf(error).title })
    }
  }
  const subject = Object.entries(entry.subject ?? {}).map(([name, id]) => `${name} ${id}`)
  return (
    <li className="entry">
      <span className="num faint">{entry.seq}</span>
      <time className="small dim" dateTime={new Date(entry.at).toISOString()} title={exactTime(entry.at)}>
        {isToday(entry.at) ? clockTime(entry.at) : shortTime(entry.at)}
      </time>
      <span className="what">
        <span>
          <b className="mono">{entry.type}</b> by <Text>{entry.actor}</Text>
        </span>
        <span className="tiny faint mono">
          <Text>{subject.join(' · ')}</Text>
          {subject.length === 0 ? '' : ' · '}
          {entry.hash.slice(0, 12)}…
        </span>
        {typeof proof === 'object' ? (
          <span className="hint wrong" role="alert">
            {proof.failed}
          </span>
        ) : null}
      </span>
      <Button size="small" busy={proof === 'busy'} label={`Proof of entry ${entry.seq}`} onClick={() => void prove()}>
        <Icon name="download" />
        Proof
      </Button>
    </li>
  )
}

function Export() {
  const [busy, setBusy] = useState<string>()
  const [failure, setFailure] = useState<string>()
  const run = async (format: 'jsonl' | 'csv') => {
    setBusy(format)
    setFailure(undefined)
    try {
      saveFile(await askBlob(`/v1/audit/export?format=${format}`), `audit.${format}`)
    } catch (error) {
      setFailure(problemOf(error).title)
    } finally {
      setBusy(undefined)
    }
  }
  return (
    <>
      {(['jsonl', 'csv'] as const).map((format) => (
        <Button key={format} size="small" busy={busy === format} onClick={() => void run(format)}>
          <Icon name="download" />
          Export {format}
        </Button>
      ))}
      {failure === undefined ? null : (
        <span className="hint wrong" role="alert">
          {failure}
        </span>
      )}
    </>
  )
}
