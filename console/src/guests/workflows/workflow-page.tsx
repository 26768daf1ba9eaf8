import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { RunStatusWord } from '../../runs/runs-page.tsx'
import { Ago } from '../../parts/ago.tsx'
import { Card } from '../../parts/card.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Empty, Failed, Skeleton } from '../../parts/states.tsx'
import { Text } from '../../parts/text.tsx'
import { many } from '../../lib/time.ts'
import { documentRunsQuery, versionsQuery, type ListedVersion } from './workflow-queries.ts'
import { VersionView as Version } from './version-view.tsx'
import { WorkflowRunView } from './workflow-run.tsx'

/** One document: its versions with what each changed, and its runs with their graphs. */
export function WorkflowPage() {
  const { name = '' } = useParams({ strict: false })
  const query = useQuery(versionsQuery(name))
  const [chosen, choose] = useState<number>()
  const versions = query.data
  if (query.isError && versions === undefined)
    return <Failed error={query.error} onRetry={() => void query.refetch()} />
  if (versions === undefined) return <Skeleton />
  const newest = versions[0]?.version ?? 0
  const shown = versions.find(({ version }) => version === chosen) ?? versions[0]
  return (
    <>
      <div className="top">
        <Link to="/workflows" className="btn quiet small" aria-label="All documents">
          <Icon name="back" />
        </Link>
        <h1>
          <Text>{name}</Text>
        </h1>
        <span className="faint small">version {newest} in force</span>
      </div>
      <div className="flow">
        <div className="scroll">
          <div className="body flow-body">
            <Runs name={name} />
            {shown === undefined ? null : (
              <Version key={shown.version} of={shown} newest={newest} onRolledBack={() => choose(undefined)} />
            )}
          </div>
        </div>
        <Versions versions={versions} shown={shown?.version} onChoose={choose} />
      </div>
    </>
  )
}

type VersionsProps = {
  readonly versions: readonly ListedVersion[]
  readonly shown: number | undefined
  readonly onChoose: (version: number) => void
}

function Versions({ versions, shown, onChoose }: VersionsProps) {
  return (
    <aside className="flow-side" aria-label="Versions">
      <div className="side-sec row">
        <h2>Versions</h2>
        <span className="grow" />
        <span className="small faint">{many(versions.length, 'version')}</span>
      </div>
      <ul className="scroll versions">
        {versions.map((one) => (
          <li key={one.version}>
            <button type="button" aria-pressed={one.version === shown} onClick={() => onChoose(one.version)}>
              <b>Version {one.version}</b>
              <span className="tiny faint">
                <Text>{one.author}</Text> · <Ago at={one.at} />
                {one.rolled_back_to === undefined ? null : ` · text of version ${one.rolled_back_to}`}
              </span>
              <code className="tiny faint">{one.sha256.slice(0, 12)}</code>
            </button>
          </li>
        ))}
      </ul>
    </aside>
  )
}

function Runs({ name }: { readonly name: string }) {
  const query = useQuery(documentRunsQuery(name))
  const [chosen, choose] = useState<string>()
  const runs = query.data
  const shown = runs?.find(({ run_id }) => run_id === chosen) ?? runs?.[0]
  return (
    <Card title="Runs" aside={runs === undefined ? '' : many(runs.length, 'run')} className="flow-card">
      {query.isError && runs === undefined ? (
        <Failed error={query.error} onRetry={() => void query.refetch()} />
      ) : runs === undefined ? (
        <Skeleton rows={3} />
      ) : runs.length === 0 ? (
        <Empty title="No runs yet">
          <p className="small">
            A message or an event starts one, or <code>sluice workflow run {name}</code>.
          </p>
        </Empty>
      ) : (
        <>
          <ul className="versions runs-of">
            {runs.map((run) => (
              <li key={run.run_id}>
                <button type="button" aria-pressed={run.run_id === shown?.run_id} onClick={() => choose(run.run_id)}>
                  <RunStatusWord of={run.status} />
                  <span className="small">
                    <Text>{run.protocol}</Text>
                  </span>
                  <span className="tiny faint">
                    version {run.version} · <Ago at={run.created_at} />
                    {run.error === undefined ? null : (
                      <>
                        {' · '}
                        <Text>{run.error.code}</Text>
                      </>
                    )}
                  </span>
                </button>
              </li>
            ))}
          </ul>
          {shown === undefined ? null : <WorkflowRunView key={shown.run_id} listed={shown} />}
        </>
      )}
    </Card>
  )
}
