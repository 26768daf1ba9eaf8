import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../api/client.ts'
import { problemOf } from '../../api/problem.ts'
import { say } from '../../lib/announce.ts'
import { shortTime, whenText } from '../../lib/time.ts'
import { useNow } from '../../lib/use-now.ts'
import { Button } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Note } from '../../parts/note.tsx'
import { Text } from '../../parts/text.tsx'
import { EvidenceForm, ReviewForm, SKIP_REASONS, SkipForm } from './flow-step-forms.tsx'
import { frontierOf, type Checklist, type FlowStep, type ShownStepState } from './flow-queries.ts'
import { useFlowSwitches } from './flows-off.tsx'

type StepProps = {
  readonly data: Checklist
  readonly state: ShownStepState
  readonly step: FlowStep | undefined
  readonly at: number
}

export function FlowStepItem({ data, state, step, at }: StepProps) {
  const { run } = data
  const isHere = run.status === 'in_progress' && frontierOf(run.step_states) === at
  return (
    <li className={`step ${state.status}${isHere ? ' here' : ''}`} aria-current={isHere ? 'step' : undefined}>
      <span className="tick" aria-hidden="true">
        {state.status === 'done' ? <Icon name="check" /> : at + 1}
      </span>
      <div className="step-main">
        <h3>
          <Text>{step?.owned_job ?? state.step_id}</Text>
          <span className="sr">, {state.status}</span>
        </h3>
        <Evidence data={data} state={state} />
        {isHere && data.may_change && step !== undefined ? <Here data={data} state={state} step={step} /> : null}
      </div>
      <DoneBy data={data} state={state} step={step} />
    </li>
  )
}

function Evidence({ data, state }: { readonly data: Checklist; readonly state: ShownStepState }) {
  const { evidence_ref, pointer_kind, verified, skip_reason } = state
  const reviewed = data.history.findLast(({ did, step_id }) => did === 'reviewed' && step_id === state.step_id)
  if (state.status === 'skipped') return <p className="ev">Skipped: {SKIP_REASONS[skip_reason ?? ''] ?? skip_reason}</p>
  if (evidence_ref === null) return null
  if (pointer_kind === 'proposal' && reviewed !== undefined)
    return (
      <p className="ev">
        <Icon name="person" />
        reviewed by{' '}
        <b>
          <Text>{reviewed.by}</Text>
        </b>{' '}
        {whenText(Date.parse(reviewed.at))}
      </p>
    )
  const digest = /[0-9a-f]{64}/.exec(evidence_ref)?.[0]
  return (
    <p className="ev">
      <Icon name={pointer_kind === 'test_result' ? 'check' : 'file'} />
      {digest === undefined ? <Text>{evidence_ref}</Text> : <ArtifactLink digest={digest} />}
      <span>{verified ? 'checked' : 'does not verify the step'}</span>
    </p>
  )
}

/** An artifact belongs to the person in whose name it was made; anybody else sees its digest. */
function ArtifactLink({ digest }: { readonly digest: string }) {
  const [text, setText] = useState<string>()
  const open = useMutation({
    mutationFn: () => ask<{ readonly text: string }>(`/v1/artifacts/${digest}?length=4000`),
    onSuccess: (read) => setText(read.text),
  })
  return (
    <>
      <button
        type="button"
        className="linkish"
        onClick={() => (text === undefined ? open.mutate() : setText(undefined))}
      >
        {text === undefined ? 'Show the result' : 'Hide the result'}
      </button>
      <span className="hash">
        sha256 {digest.slice(0, 6)}…{digest.slice(-4)}
      </span>
      {open.error === null ? null : <span>only its owner can read it</span>}
      {text === undefined ? null : (
        <span className="flow-result">
          <Text lines>{text}</Text>
        </span>
      )}
    </>
  )
}

function DoneBy({
  data,
  state,
  step,
}: {
  readonly data: Checklist
  readonly state: ShownStepState
  readonly step: FlowStep | undefined
}) {
  const isByAgent = data.executions.some(({ step_id, status }) => step_id === state.step_id && status === 'completed')
  if (isByAgent)
    return (
      <span className="tag">
        <Icon name="bot" />
        done by an agent
      </span>
    )
  if (step?.automatable === 'automatable' && state.status !== 'done')
    return (
      <span className="tag accent">
        <Icon name="bot" />
        can be automated
      </span>
    )
  return <span className="tag line">{step?.automatable === 'agent_assisted' ? 'assisted' : 'manual'}</span>
}

const NEEDS: Readonly<Record<string, string>> = {
  human_review: 'a proposal that a reviewer approved',
  artifact_exists: 'an artifact that exists',
  value_match: 'an artifact with the expected value',
  test_pass: 'a recorded run that passed',
  agent_check: 'a result that was checked',
}

/** What can be done with the step that is next. */
function Here({
  data,
  state,
  step,
}: {
  readonly data: Checklist
  readonly state: ShownStepState
  readonly step: FlowStep
}) {
  const client = useQueryClient()
  const [form, setForm] = useState<'evidence' | 'skip' | 'review'>()
  const { run } = data
  const act = useMutation({
    mutationFn: ({ verb, body }: { readonly verb: string; readonly body: object }) =>
      ask<object>(`/api/v1/flows/runs/${run.run_id}/${verb}`, { method: 'POST', json: body }),
    onSuccess: (_, { verb }) => {
      setForm(undefined)
      if (verb === 'review') say('Submitted for review.')
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['flows'] }),
  })
  const { step_id } = step
  const advance = (status: string, more: object = {}) =>
    act.mutate({ verb: 'advance', body: { step_id, status, ...more } })
  const { kind, evidence_required } = step.verification
  const isReady = !evidence_required || state.verified
  return (
    <>
      <p className="ev dim">
        <Text>{step.instruction}</Text>
      </p>
      {step.boundaries.length === 0 ? null : (
        <p className="ev faint">
          <Text>{step.boundaries.join(' ')}</Text>
        </p>
      )}
      <Consent
        data={data}
        step={step}
        busy={act.isPending}
        onExecute={(body) => act.mutate({ verb: 'execute', body })}
      />
      <div className="step-acts">
        {isReady ? (
          <Button kind="primary" size="small" busy={act.isPending} onClick={() => advance('done')}>
            Done
          </Button>
        ) : null}
        {state.status === 'in_progress' ? null : (
          <Button size="small" onClick={() => advance('in_progress')}>
            Start
          </Button>
        )}
        {kind === 'human_review' ? (
          <Button size="small" onClick={() => setForm('review')}>
            Ask for a review …
          </Button>
        ) : (
          <Button size="small" onClick={() => setForm('evidence')}>
            Attach evidence …
          </Button>
        )}
        <Button kind="quiet" size="small" onClick={() => setForm('skip')}>
          Skip …
        </Button>
        {state.status === 'blocked' ? null : (
          <Button kind="quiet" size="small" onClick={() => advance('blocked')}>
            Blocked
          </Button>
        )}
      </div>
      {form === 'evidence' ? (
        <EvidenceForm onSend={(body) => act.mutate({ verb: 'evidence', body: { step_id, ...body } })} />
      ) : null}
      {form === 'skip' ? <SkipForm onSkip={(skip_reason) => advance('skipped', { skip_reason })} /> : null}
      {form === 'review' ? (
        <ReviewForm onSend={(intent) => act.mutate({ verb: 'review', body: { intent, step_id } })} />
      ) : null}
      {act.error === null ? null : (
        <p className="hint wrong" role="alert">
          Nothing changed: {problemOf(act.error).title} ({problemOf(act.error).code})
        </p>
      )}
      <p className="hint">{isReady ? 'It can be marked as done.' : `To be done, it needs ${NEEDS[kind] ?? kind}.`}</p>
    </>
  )
}

function Consent({
  data,
  step,
  busy,
  onExecute,
}: {
  readonly data: Checklist
  readonly step: FlowStep
  readonly busy: boolean
  readonly onExecute: (body: object) => void
}) {
  const now = useNow()
  const on = useFlowSwitches()
  if (step.automatable !== 'automatable' || !on.execution) return null
  const live = data.consents.find(
    ({ own, revoked_at, expires_at, cost_cap_units, cost_consumed_units }) =>
      own && revoked_at === null && Date.parse(expires_at) > now && cost_consumed_units < cost_cap_units,
  )
  const running = data.executions.find(({ step_id, status }) => step_id === step.step_id && status === 'running')
  if (running !== undefined)
    return (
      <Note icon="bot" small kind="accent">
        <p className="small">An agent is doing this now.</p>
      </Note>
    )
  if (live === undefined)
    return (
      <Note icon="consent" small>
        <p className="small">An agent may do this once you give a consent below.</p>
      </Note>
    )
  const { consent_id, cost_cap_units, cost_consumed_units, allowed_lanes, expires_at } = live
  const body = { step_id: step.step_id, consent_id, model_lane: allowed_lanes[0] }
  return (
    <>
      <Note icon="consent" small>
        <p className="small">
          <b>An agent may do this under your consent:</b> {cost_cap_units - cost_consumed_units} of {cost_cap_units}{' '}
          units left, lane <Text>{allowed_lanes.join(', ')}</Text>, until {shortTime(Date.parse(expires_at))}.
        </p>
      </Note>
      <div className="step-acts">
        <Button kind="primary" size="small" busy={busy} onClick={() => onExecute(body)}>
          Let the agent do it
        </Button>
        <Button size="small" onClick={() => onExecute({ ...body, dry_run: true })}>
          Dry run
        </Button>
      </div>
    </>
  )
}
