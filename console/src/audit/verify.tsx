import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { AuditReport } from '../../../server/src/contract/audit.ts'
import { ask } from '../api/client.ts'
import { problemOf } from '../api/problem.ts'
import { count, lasted, many } from '../lib/time.ts'
import { Button } from '../parts/button.tsx'
import { Card } from '../parts/card.tsx'
import { Note } from '../parts/note.tsx'
import { Text } from '../parts/text.tsx'

/** The gate recomputes every hash and checks every signature. */
export function Verify() {
  const check = useMutation({ mutationFn: () => ask<AuditReport>('/v1/audit/verify') })
  const { data } = check
  return (
    <Card
      title="Is it all still there?"
      aside={data === undefined ? undefined : many(data.entries, 'entry', 'entries')}
    >
      <div className="card-body">
        {check.isPending ? <Progress /> : null}
        {data === undefined || check.isPending ? null : data.ok ? (
          <Note kind="allow" icon="seal">
            <p>
              <b>Nothing was changed, removed or put in.</b> {many(data.entries, 'entry', 'entries')},{' '}
              {many(data.checkpoints, 'checkpoint')}, all signatures good.{' '}
              {many(data.unsigned, 'entry is', 'entries are')} newer than the last checkpoint.
            </p>
          </Note>
        ) : (
          <Note kind="block" icon="warn" alert>
            <p>
              <b>The audit is not as it was recorded.</b>{' '}
              {data.first === undefined ? null : <Text>{sayFinding(data.first)}</Text>}
            </p>
          </Note>
        )}
        {(data?.breaks ?? []).length > 0 ? (
          <p className="small dim">{many(data?.breaks?.length ?? 0, 'break')} was accepted by an admin before.</p>
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

/** How long it takes is not known before; what is known is that it goes on. */
function Progress() {
  const [started] = useState(() => Date.now())
  const [now, setNow] = useState(started)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 200)
    return () => clearInterval(timer)
  }, [])
  return (
    <div>
      <p className="small">
        <b>Checking every hash</b> <span className="dim num">{lasted(now - started)}</span>
      </p>
      <progress className="progress" aria-label="Checking every hash" />
    </div>
  )
}
