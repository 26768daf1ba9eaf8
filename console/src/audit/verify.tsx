import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { AuditReport } from '../../../server/src/kernel/contract/audit.ts'
import { eventsIn } from '../../../server/src/client/client.ts'
import { readAnswer } from '../../../server/src/client/transport.ts'
import { problemOf } from '../api/problem.ts'
import { count, many } from '../lib/time.ts'
import { Button } from '../parts/button.tsx'
import { Card } from '../parts/card.tsx'
import { Note } from '../parts/note.tsx'
import { Text } from '../parts/text.tsx'

/** The gate recomputes every hash and checks every signature. */
export function Verify() {
  const [done, setDone] = useState<Done>()
  const check = useMutation({
    mutationFn: () => {
      setDone(undefined)
      return verifyAudit(setDone)
    },
  })
  const { data } = check
  return (
    <Card title="Is the audit intact?" aside={data === undefined ? undefined : many(data.entries, 'entry', 'entries')}>
      <div className="card-body">
        {check.isPending ? <Progress done={done} /> : null}
        {data === undefined || check.isPending ? null : data.ok ? (
          <Note kind="allow" icon="seal">
            <p>
              <b>Nothing was changed, removed or inserted.</b> {many(data.entries, 'entry', 'entries')},{' '}
              {many(data.checkpoints, 'checkpoint')}, all signatures good.{' '}
              {many(data.unsigned, 'entry is', 'entries are')} newer than the last checkpoint.
            </p>
          </Note>
        ) : (
          <Note kind="block" icon="warn" alert>
            <p>
              <b>The audit was changed after it was recorded.</b>{' '}
              {data.first === undefined ? null : <Text>{sayFinding(data.first)}</Text>}
            </p>
          </Note>
        )}
        {(data?.breaks ?? []).length > 0 ? (
          <p className="small dim">
            {many(data?.breaks?.length ?? 0, 'break was', 'breaks were')} accepted by an admin before.
          </p>
        ) : null}
        {check.error === null ? null : (
          <Note kind="block" icon="warn" alert>
            <p>
              <b>It could not be checked.</b> {problemOf(check.error).detail || problemOf(check.error).title}
            </p>
          </Note>
        )}
        <div className="acts">
          <Button busy={check.isPending} onClick={() => check.mutate()}>
            Check every hash
          </Button>
        </div>
      </div>
    </Card>
  )
}

const sayFinding = (finding: object): string => {
  const said = finding as { says?: string; stream?: string; seq?: number }
  return said.says ?? `${said.stream ?? ''} ${said.seq === undefined ? '' : count(said.seq)}`
}

type Done = { readonly entries: number; readonly of: number }

/** Reads the gate's progress during the check. */
async function verifyAudit(onDone: (done: Done) => void): Promise<AuditReport> {
  const response = await fetch('/v1/audit/verify/progress', { credentials: 'same-origin', cache: 'no-store' })
  if (!response.ok) await readAnswer(response)
  if (response.body !== null)
    for await (const { kind, data } of eventsIn(response.body)) {
      if (kind === 'report') return data as unknown as AuditReport
      if (kind === 'progress') onDone({ entries: Number(data['entries']), of: Number(data['of']) })
    }
  throw new Error('the gate stopped answering before the check was done')
}

function Progress({ done }: { readonly done: Done | undefined }) {
  return (
    <div>
      <p className="small">
        <b>Checking every hash</b>{' '}
        <span className="dim num">
          {done === undefined ? '' : `${count(done.entries)} of ${many(done.of, 'entry', 'entries')}`}
        </span>
      </p>
      <progress
        className="progress"
        aria-label="Checking every hash"
        {...(done === undefined ? {} : { max: Math.max(1, done.of), value: Math.min(done.entries, done.of) })}
      />
    </div>
  )
}
