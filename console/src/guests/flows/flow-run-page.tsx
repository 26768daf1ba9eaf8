import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { ask } from '../../api/client.ts'
import { problemOf } from '../../api/problem.ts'
import { many, shortTime, whenText } from '../../lib/time.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Failed, Skeleton } from '../../parts/states.tsx'
import { Text } from '../../parts/text.tsx'
import { ConsentCard } from './consent-card.tsx'
import { checklistQuery, frontierOf, type Checklist } from './flow-queries.ts'
import { FlowsOff, useFlowSwitches } from './flows-off.tsx'
import { FlowStepItem } from './flow-step.tsx'
import { ReviewQueue } from './review-queue.tsx'

/** One run as a checklist: each step with its evidence and who did it, the consents, and the review queue next to it. */
export function FlowRunPage() {
  const { id } = useParams({ from: '/flows/$id' })
  const query = useQuery(checklistQuery(id))
  const on = useFlowSwitches()
  // While flows are read-only, nothing that would be refused is offered.
  const data = query.data && { ...query.data, may_change: query.data.may_change && on.runs }
  return (
    <>
      <RunTop run_id={id} data={data} />
      <div className="flow">
        <div className="scroll">
          <div className="body flow-body">
            {query.isError && data === undefined ? (
              <Failed error={query.error} onRetry={() => void query.refetch()} />
            ) : data === undefined ? (
              <Skeleton />
            ) : (
              <>
                <FlowsOff />
                <Steps data={data} />
                <ConsentCard data={data} />
                <History data={data} />
              </>
            )}
          </div>
        </div>
        <ReviewQueue run_id={id} />
      </div>
    </>
  )
}

function RunTop({ run_id, data }: { readonly run_id: string; readonly data: Checklist | undefined }) {
  const [isAsking, setAsking] = useState(false)
  const run = data?.run
  const states = run?.step_states ?? []
  const here = Math.min(frontierOf(states) + 1, states.length)
  return (
    <div className="top">
      <Link to="/flows" className="btn quiet small" aria-label="All flows">
        <Icon name="back" />
      </Link>
      <h1>{data === undefined ? 'Flow run' : <Text>{data.title}</Text>}</h1>
      {run === undefined ? null : run.status === 'in_progress' ? (
        <span className="tag accent">
          step {here} of {states.length}
        </span>
      ) : (
        <span className={`tag ${run.status === 'done' ? 'allow' : ''}`}>{run.status}</span>
      )}
      <span className="grow" />
      {run === undefined ? null : (
        <span className="faint small flow-wide">
          version <Text>{run.flow_version}</Text> · {run.scope} · <span className="mono">{run.run_id}</span>
        </span>
      )}
      {run?.status === 'in_progress' && data?.may_change === true ? (
        <Button kind="quiet" size="small" onClick={() => setAsking(true)}>
          Abandon …
        </Button>
      ) : null}
      {isAsking ? <AbandonDialog run_id={run_id} onClose={() => setAsking(false)} /> : null}
    </div>
  )
}

function AbandonDialog({ run_id, onClose }: { readonly run_id: string; readonly onClose: () => void }) {
  const [reason, setReason] = useState('')
  const client = useQueryClient()
  const abandon = useMutation({
    mutationFn: () =>
      ask(`/api/v1/flows/runs/${run_id}/abandon`, {
        method: 'POST',
        json: reason.trim() === '' ? {} : { reason },
      }),
    onSuccess: onClose,
    onSettled: () => client.invalidateQueries({ queryKey: ['flows'] }),
  })
  return (
    <Dialog
      title="Abandon this run?"
      onClose={onClose}
      cancel="Cancel"
      act={
        <Button kind="danger" busy={abandon.isPending} onClick={() => abandon.mutate()}>
          Abandon the run
        </Button>
      }
    >
      <p>The run ends where it is. Completed steps are not undone, and a running execution is asked to stop.</p>
      <label className="label" htmlFor="abandon-why">
        Why (optional)
      </label>
      <input id="abandon-why" className="input" value={reason} onChange={(event) => setReason(event.target.value)} />
      {abandon.error === null ? null : (
        <p className="hint wrong" role="alert">
          It was not abandoned: {problemOf(abandon.error).title}
        </p>
      )}
    </Dialog>
  )
}

function Steps({ data }: { readonly data: Checklist }) {
  const { run, steps, history } = data
  const states = run.step_states
  const count = (status: string) => states.filter((state) => state.status === status).length
  const done = count('done')
  const skipped = count('skipped')
  const started = history.find(({ did }) => did === 'started')
  return (
    <section className="card flow-steps" aria-label="Steps">
      <header className="card-head">
        <h2>Steps</h2>
        <span className="bar" role="img" aria-label={`${done + skipped} of ${states.length} finished`}>
          <i style={{ width: `${((done + skipped) / states.length) * 100}%` }} />
        </span>
        <span className="small faint num">
          {done} done{skipped === 0 ? '' : `, ${skipped} skipped`}
        </span>
        <span className="aside num">
          started {whenText(Date.parse(run.started))}
          {started === undefined ? null : (
            <>
              {' '}
              by <Text>{started.by}</Text>
            </>
          )}
        </span>
      </header>
      <ol className="steps">
        {states.map((state, at) => (
          <FlowStepItem key={state.step_id} data={data} state={state} step={steps[at]} at={at} />
        ))}
      </ol>
    </section>
  )
}

const DID: Readonly<Record<string, string>> = {
  started: 'started the run',
  in_progress: 'started step',
  blocked: 'marked as blocked step',
  done: 'finished step',
  skipped: 'skipped step',
  evidence: 'attached evidence to step',
  consent_mint: 'gave a consent',
  consent_revoke: 'revoked a consent',
  execute: 'let an agent do step',
  completed: 'an agent completed step',
  failed: 'an agent failed at step',
  cost_capped: 'an agent reached the cost cap at step',
  submit_review: 'asked for a review of step',
  reviewed: 'approved the review of step',
  abandoned: 'abandoned the run',
}

function History({ data }: { readonly data: Checklist }) {
  return (
    <section className="card flow-card" aria-label="Who did what">
      <header className="card-head">
        <h2>Who did what</h2>
        <span className="aside">{many(data.history.length, 'entry', 'entries')}</span>
      </header>
      <ul className="flow-list tight">
        {data.history.toReversed().map((item, at) => (
          <li key={at}>
            <span className="small">
              <b>
                <Text>{item.by}</Text>
              </b>{' '}
              {DID[item.did] ?? item.did} {item.step_id === null ? '' : item.step_id.split('#')[1]}
              {item.note === null ? null : (
                <span className="dim">
                  {' '}
                  <Text>{item.note}</Text>
                </span>
              )}
            </span>
            <span className="tiny faint num">{shortTime(Date.parse(item.at))}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
