import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../api/client.ts'
import { problemOf } from '../../api/problem.ts'
import { say } from '../../lib/announce.ts'
import { Ago } from '../../parts/ago.tsx'
import { Button } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { ListStates } from '../../parts/states.tsx'
import { Text } from '../../parts/text.tsx'
import { proposalsQuery, type ProposalView } from './flow-queries.ts'

/** What waits for a reviewer: those of this run first. */
export function ReviewQueue({ run_id }: { readonly run_id?: string }) {
  const query = useQuery(proposalsQuery)
  const [chosen, setChosen] = useState<string>()
  const all = (query.data ?? []).toSorted((a, b) => Number(b.body.run_id === run_id) - Number(a.body.run_id === run_id))
  const open = all.find(({ proposal_id }) => proposal_id === chosen) ?? all[0]
  return (
    <aside className="flow-side" aria-label="Review queue">
      <div className="side-sec row">
        <h2>Review queue</h2>
        <span className={all.length === 0 ? 'count' : 'count hot'}>{all.length}</span>
      </div>
      <div className="scroll">
        <ListStates
          of={query}
          rows={3}
          empty={all.length === 0 ? <p className="side-sec small dim">No pending reviews.</p> : undefined}
        >
          {all.map((proposal) =>
            proposal === open ? (
              <OpenProposal key={proposal.proposal_id} proposal={proposal} isHere={proposal.body.run_id === run_id} />
            ) : (
              <button
                key={proposal.proposal_id}
                type="button"
                className="side-sec proposal-row"
                onClick={() => setChosen(proposal.proposal_id)}
              >
                <span className="proposal-what">
                  <Text>{titleOf(proposal)}</Text>
                </span>
                <span className="tiny faint">
                  <Ago at={Date.parse(proposal.created)} />
                </span>
                <EvaluationTag proposal={proposal} />
              </button>
            ),
          )}
        </ListStates>
      </div>
    </aside>
  )
}

const titleOf = ({ flow_title, step_title }: ProposalView): string =>
  step_title === null ? `${flow_title}: outcome` : `${flow_title}: ${step_title}`

const EVALUATIONS = {
  none: ['', 'no evaluation needed'],
  pending: ['', 'evaluation pending'],
  passed: ['allow', 'evaluation passed'],
  failed: ['block', 'evaluation failed'],
  needs_changes: ['ask', 'needs changes'],
} as const

function EvaluationTag({ proposal }: { readonly proposal: ProposalView }) {
  const [kind, words] = EVALUATIONS[proposal.evaluation]
  return (
    <span className="proposal-meta">
      <span className={`tag ${kind}`}>{words}</span>
      <span className="small dim">
        {proposal.own ? 'yours: somebody else must decide' : <Text>{`by ${proposal.proposed_by}`}</Text>}
      </span>
    </span>
  )
}

function OpenProposal({ proposal, isHere }: { readonly proposal: ProposalView; readonly isHere: boolean }) {
  const client = useQueryClient()
  const [waive, setWaive] = useState('')
  const act = useMutation({
    mutationFn: ({ verb, body }: { readonly verb: 'evaluate' | 'decide'; readonly body: object }) =>
      ask<ProposalView>(`/v1/proposals/${proposal.proposal_id}/${verb}`, {
        method: 'POST',
        json: { ...body, etag: proposal.etag },
      }),
    onSuccess: ({ state }) => (state === 'proposed' ? undefined : say(`The proposal is ${state}.`)),
    onSettled: () => client.invalidateQueries({ queryKey: ['flows'] }),
  })
  const missing = proposal.rubric.filter(({ answer }) => answer === null).length
  const mayApprove = proposal.evaluation === 'passed' || !proposal.evaluation_required || waive.trim() !== ''
  const step = proposal.step_id?.split('#')[1]
  return (
    <div className="side-sec proposal-open">
      <p className="small faint num">
        {isHere ? 'from this run' : 'from another run'}
        {step === undefined ? '' : `, step ${step}`} · <Ago at={Date.parse(proposal.created)} />
      </p>
      <h3>
        <Text>{titleOf(proposal)}</Text>
      </h3>
      <p className="small dim">
        “<Text>{proposal.intent}</Text>” Proposed by <Text>{proposal.proposed_by}</Text>.
      </p>
      {proposal.own ? (
        <p className="hint">You proposed this, so somebody else has to decide.</p>
      ) : (
        <>
          <ul className="rubric">
            {proposal.rubric.map(({ id, asks, answer }) => (
              <li key={id}>
                <span className="small">{asks}</span>
                <span className="tabs" role="group" aria-label={asks}>
                  {[true, false].map((value) => (
                    <button
                      key={String(value)}
                      type="button"
                      aria-pressed={answer === value}
                      onClick={() => act.mutate({ verb: 'evaluate', body: { answers: { [id]: value } } })}
                    >
                      {answer === value ? <Icon name={value ? 'check' : 'cross'} /> : null}
                      {value ? 'yes' : 'no'}
                    </button>
                  ))}
                </span>
              </li>
            ))}
          </ul>
          {proposal.evaluation === 'passed' ? null : (
            <>
              <p className="hint">
                {missing === 0
                  ? 'The evaluation did not pass. Approving needs a reason to waive it.'
                  : `${missing === 1 ? '1 answer is' : `${missing} answers are`} missing. Approving needs all, or a reason to waive.`}
              </p>
              <input
                className="input"
                aria-label="Reason to waive the evaluation"
                placeholder="Reason to waive"
                value={waive}
                onChange={(event) => setWaive(event.target.value)}
              />
            </>
          )}
        </>
      )}
      {act.error === null ? null : (
        <p className="hint wrong" role="alert">
          Nothing changed: {problemOf(act.error).title}
        </p>
      )}
      <div className="step-acts">
        <Button kind="deny" size="small" onClick={() => act.mutate({ verb: 'decide', body: { decision: 'discard' } })}>
          {proposal.own ? 'Revoke' : 'Discard'}
        </Button>
        {proposal.own ? null : (
          <>
            <Button size="small" onClick={() => act.mutate({ verb: 'evaluate', body: { needs_changes: true } })}>
              Needs changes
            </Button>
            <span className="grow" />
            <Button
              kind="primary"
              size="small"
              off={!mayApprove}
              busy={act.isPending}
              onClick={() =>
                act.mutate({
                  verb: 'decide',
                  body: { decision: 'approve', ...(waive.trim() === '' ? {} : { waive }) },
                })
              }
            >
              Approve
            </Button>
          </>
        )}
      </div>
    </div>
  )
}
