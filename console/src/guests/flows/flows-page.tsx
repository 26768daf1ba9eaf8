import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { ask } from '../../api/client.ts'
import { problemOf } from '../../api/problem.ts'
import { many } from '../../lib/time.ts'
import { Ago } from '../../parts/ago.tsx'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { Empty, ListStates } from '../../parts/states.tsx'
import { Text } from '../../parts/text.tsx'
import { flowsQuery, isOpenStep, runsQuery, type Flow, type FlowRunView } from './flow-queries.ts'
import { FlowsOff, useFlowSwitches } from './flows-off.tsx'
import { ReviewQueue } from './review-queue.tsx'

const STATUSES = [
  ['in_progress', 'In progress'],
  ['done', 'Done'],
  ['abandoned', 'Abandoned'],
  ['', 'All'],
] as const

/** Procedures, their runs, and the proposals that need a review. */
export function FlowsPage() {
  return (
    <>
      <div className="top">
        <h1>Flows</h1>
      </div>
      <div className="flow">
        <div className="scroll">
          <div className="body flow-body">
            <FlowsOff />
            <Procedures />
            <Runs />
          </div>
        </div>
        <ReviewQueue />
      </div>
    </>
  )
}

function Procedures() {
  const query = useQuery(flowsQuery)
  const flows = query.data?.flows ?? []
  return (
    <Card title="Procedures" aside={query.data === undefined ? '' : many(flows.length, 'flow')} className="flow-card">
      <ListStates
        of={query}
        rows={3}
        empty={
          flows.length === 0 ? (
            <Empty title="No procedures yet">
              <p className="small">
                Import one with <code>sluice flow import FILE</code>.
              </p>
            </Empty>
          ) : undefined
        }
      >
        <ul className="flow-list">
          {flows.map((flow) => (
            <Procedure key={flow.flow_id} flow={flow} />
          ))}
        </ul>
      </ListStates>
    </Card>
  )
}

function Procedure({ flow }: { readonly flow: Flow }) {
  const go = useNavigate()
  const client = useQueryClient()
  const on = useFlowSwitches()
  const start = useMutation({
    mutationFn: () =>
      ask<{ readonly run: FlowRunView }>('/api/v1/flows/runs', { method: 'POST', json: { flow_id: flow.flow_id } }),
    onSuccess: ({ run }) => void go({ to: '/flows/$id', params: { id: run.run_id } }),
    onSettled: () => client.invalidateQueries({ queryKey: ['flows'] }),
  })
  return (
    <li>
      <div>
        <h3>
          <Text>{flow.title}</Text>
        </h3>
        <p className="small dim">
          <Text>{flow.summary}</Text>
        </p>
        <p className="tiny faint">
          version <Text>{flow.version}</Text> · {flow.scope} · {many(flow.steps.length, 'step')} ·{' '}
          <code>
            <Text>{flow.flow_id}</Text>
          </code>
        </p>
        {start.error === null ? null : (
          <p className="hint wrong" role="alert">
            It was not started: {problemOf(start.error).title}
          </p>
        )}
      </div>
      <Button size="small" off={!on.runs} busy={start.isPending} onClick={() => start.mutate()}>
        Start a run
      </Button>
    </li>
  )
}

function Runs() {
  const on = useFlowSwitches()
  const [status, setStatus] = useState('in_progress')
  const query = useQuery(runsQuery(status))
  const titles = new Map((useQuery(flowsQuery).data?.flows ?? []).map((flow) => [flow.flow_id, flow.title]))
  const runs = query.data?.runs ?? []
  const tabs = (
    <span className="tabs" role="group" aria-label="Which runs">
      {STATUSES.map(([name, word]) => (
        <button key={name} type="button" aria-pressed={status === name} onClick={() => setStatus(name)}>
          {word}
        </button>
      ))}
    </span>
  )
  return (
    <Card title="Runs" aside={tabs} className="flow-card">
      <ListStates
        of={query}
        rows={4}
        empty={
          runs.length === 0 ? (
            <Empty title="No runs">
              {on.runs ? <p className="small">Start one above, or let an agent start one.</p> : null}
            </Empty>
          ) : undefined
        }
      >
        <ul className="flow-list">
          {runs.map((run) => (
            <RunRow key={run.run_id} run={run} title={titles.get(run.flow_id) ?? run.flow_id} />
          ))}
        </ul>
      </ListStates>
    </Card>
  )
}

function RunRow({ run, title }: { readonly run: FlowRunView; readonly title: string }) {
  const closed = run.step_states.filter((state) => !isOpenStep(state)).length
  const all = run.step_states.length
  return (
    <li>
      <div>
        <h3>
          <Link to="/flows/$id" params={{ id: run.run_id }}>
            <Text>{title}</Text>
          </Link>
        </h3>
        <p className="tiny faint">
          version <Text>{run.flow_version}</Text> · {run.scope} · <code>{run.run_id}</code>
          {run.external_ref === null ? null : (
            <>
              {' '}
              · <Text>{run.external_ref}</Text>
            </>
          )}
        </p>
      </div>
      <span className="flow-progress small dim num">
        <span className="bar" role="img" aria-label={`${closed} of ${all} steps finished`}>
          <i style={{ width: `${(closed / all) * 100}%` }} />
        </span>
        {closed} of {all} · <Ago at={Date.parse(run.started)} />
      </span>
    </li>
  )
}
