import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { auditSentence } from '../../../server/src/kernel/contract/audit-events.ts'
import { askBlob, withQuery } from '../api/client.ts'
import { problemOf } from '../api/problem.ts'
import type { ListedEntry } from '../api/types.ts'
import { saveFile } from '../lib/save-file.ts'
import { clockTime, exactTime, isToday, many, shortTime } from '../lib/time.ts'
import { Button } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { ShowMore } from '../parts/show-more.tsx'
import { Empty, ListStates } from '../parts/states.tsx'
import { Text } from '../parts/text.tsx'
import { keyOf, useAudit } from './use-audit.ts'
import { Verify } from './verify.tsx'

/** Everything that the gate recorded, newest first: entries, verification, export, and proof of one entry. */
export function AuditPage() {
  const [from, setFrom] = useState<number>()
  const { query, entries, arrived } = useAudit(from)
  const streams = new Set(entries.map(({ stream }) => stream))
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
            placeholder="newest"
            value={from ?? ''}
            onChange={({ target }) => setFrom(target.value === '' ? undefined : Math.max(1, Number(target.value) || 1))}
          />
        </label>
        <Export />
      </div>
      <div className="scroll">
        <div className="body">
          <Verify />
          <ListStates of={query} empty={entries.length === 0 ? <Empty title="No entries here" /> : undefined}>
            <section className="card" aria-label="Entries">
              <p className="sr" role="status">
                {arrived === 0 ? '' : many(arrived, 'new entry', 'new entries')}
              </p>
              <ol>
                {entries.map((entry) => (
                  <Entry key={keyOf(entry)} entry={entry} stream={streams.size > 1} />
                ))}
              </ol>
              <ShowMore of={query} says="Show older entries" />
            </section>
          </ListStates>
        </div>
      </div>
    </>
  )
}

function Entry({ entry, stream }: { readonly entry: ListedEntry; readonly stream: boolean }) {
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
  const { call } = entry.subject
  return (
    <li className="entry">
      <span className="num faint">{entry.seq}</span>
      <time className="small dim" dateTime={new Date(entry.at).toISOString()} title={exactTime(entry.at)}>
        {isToday(entry.at) ? clockTime(entry.at) : shortTime(entry.at)}
      </time>
      <span className="what">
        <span>
          {auditSentence(entry).map(({ is, text }, at) => (is === 'text' ? text : <Text key={at}>{text}</Text>))}
        </span>
        <span className="tiny faint mono">
          {entry.type}
          {stream ? (
            <>
              {' '}
              · <Text>{entry.stream}</Text>
            </>
          ) : null}
          {call === undefined ? null : (
            <>
              {' '}
              ·{' '}
              <Link to="/activity/$id" params={{ id: call }}>
                <Text>{call}</Text>
              </Link>
            </>
          )}{' '}
          · {entry.hash.slice(0, 12)}…
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
