import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../api/client.ts'
import { LineDiff } from '../../inbox/changes.tsx'
import { useMe } from '../../inbox/use-me.ts'
import { say } from '../../lib/announce.ts'
import { count } from '../../lib/time.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Fold } from '../../parts/fold.tsx'
import { Refused } from '../../parts/refused.tsx'
import { Failed, Skeleton } from '../../parts/states.tsx'
import { Text } from '../../parts/text.tsx'
import { diffQuery, textQuery, type ListedVersion as VersionRow } from './workflow-queries.ts'

type VersionProps = { readonly of: VersionRow; readonly newest: number; readonly onRolledBack: () => void }

/** What one version changed, its text, and for an admin the way back to it. */
export function VersionView({ of, newest, onRolledBack }: VersionProps) {
  const { name, version } = of
  const diff = useQuery(diffQuery(name, version))
  const isAdmin = useMe()?.kind === 'admin'
  const [asks, setAsks] = useState(false)
  return (
    <Card
      title={`What version ${version} changed`}
      aside={diff.data === undefined ? '' : `+${count(diff.data.added)} −${count(diff.data.removed)}`}
      className="flow-card"
    >
      {diff.isError && diff.data === undefined ? (
        <Failed error={diff.error} onRetry={() => void diff.refetch()} />
      ) : diff.data === undefined ? (
        <Skeleton rows={4} />
      ) : diff.data.lines.length === 0 ? (
        <p className="pad small dim">It has the same text as version {diff.data.from}.</p>
      ) : (
        <LineDiff lines={diff.data.lines} cut={diff.data.cut} />
      )}
      <div className="pad version-foot">
        <Fold label="The whole text">
          <VersionText name={name} version={version} />
        </Fold>
        {version === newest ? (
          <p className="small dim">This version is in force. Runs that started earlier keep theirs.</p>
        ) : isAdmin ? (
          <Button size="small" onClick={() => setAsks(true)}>
            Roll back to version {version} …
          </Button>
        ) : null}
      </div>
      {asks ? (
        <RollBack
          of={of}
          newest={newest}
          onClose={() => setAsks(false)}
          onDone={() => {
            setAsks(false)
            onRolledBack()
          }}
        />
      ) : null}
    </Card>
  )
}

function VersionText({ name, version }: { readonly name: string; readonly version: number }) {
  const query = useQuery(textQuery(name, version))
  if (query.isError) return <Failed error={query.error} onRetry={() => void query.refetch()} />
  if (query.data === undefined) return <Skeleton rows={3} />
  return (
    <pre className="document-text" tabIndex={0} aria-label={`Text of version ${version}`}>
      <Text lines>{query.data.text}</Text>
    </pre>
  )
}

type RollBackProps = {
  readonly of: VersionRow
  readonly newest: number
  readonly onClose: () => void
  readonly onDone: () => void
}

function RollBack({ of: { name, version }, newest, onClose, onDone }: RollBackProps) {
  const client = useQueryClient()
  const back = useMutation({
    mutationFn: () =>
      ask<VersionRow>(`/v1/workflows/${encodeURIComponent(name)}/rollback`, { method: 'POST', json: { to: version } }),
    onSuccess: (now) => {
      say(`Version ${now.version} is in force`)
      onDone()
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['workflows'] }),
  })
  return (
    <Dialog
      title={`Roll back to version ${version}`}
      cancel="Cancel"
      onClose={onClose}
      act={
        <Button kind="primary" busy={back.isPending} onClick={() => back.mutate()}>
          Put version {newest + 1} in force
        </Button>
      }
    >
      <p>
        Version {newest + 1} will have the text of version {version}. New runs use it; runs that have started keep
        theirs. Nothing is deleted.
      </p>
      {back.error === null ? null : <Refused of={back.error} says="The version in force stays" />}
    </Dialog>
  )
}
