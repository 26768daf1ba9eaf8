import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { askProven } from '../../api/ask-proven.ts'
import { problemOf } from '../../api/problem.ts'
import { say } from '../../lib/announce.ts'
import { timeLeft, whenText } from '../../lib/time.ts'
import { useNow } from '../../lib/use-now.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { Text } from '../../parts/text.tsx'
import { useFlowSwitches } from './flows-off.tsx'
import type { Checklist } from './flow-queries.ts'

/** The consents of this run, what is left of each, and a way to revoke them. */
export function ConsentCard({ data }: { readonly data: Checklist }) {
  const client = useQueryClient()
  const [units, setUnits] = useState('10')
  const act = useMutation({
    mutationFn: ({ path, body }: { readonly path: string; readonly body: object }) =>
      askProven<object>(path, { method: 'POST', json: body }),
    onSuccess: (_, { path }) => {
      if (path.endsWith('/revoke')) say('Revoked. Nothing more starts under this consent.')
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['flows'] }),
  })
  const on = useFlowSwitches()
  const isOpen = data.run.status === 'in_progress' && data.may_change
  const canAutomate = data.steps.some(({ automatable }) => automatable === 'automatable')
  if (!canAutomate && data.consents.length === 0) return null
  return (
    <Card title="Consents" aside="units that agents may spend on this run" className="flow-card">
      <ul className="flow-list">
        {data.consents.map((consent) => (
          <Consent
            key={consent.consent_id}
            consent={consent}
            onRevoke={() => act.mutate({ path: `/api/v1/flows/consents/${consent.consent_id}/revoke`, body: {} })}
          />
        ))}
        {isOpen && canAutomate && on.execution ? (
          <li>
            <form
              className="step-form"
              onSubmit={(event) => {
                event.preventDefault()
                const body = { allowed_lanes: ['local_default'], cost_cap_units: Number(units) }
                act.mutate({ path: `/api/v1/flows/runs/${data.run.run_id}/consents`, body })
              }}
            >
              <label className="small" htmlFor="consent-units">
                Let your agents spend
              </label>
              <input
                id="consent-units"
                className="input num"
                inputMode="numeric"
                value={units}
                onChange={(event) => setUnits(event.target.value)}
              />
              <span className="small">units for one hour</span>
              <Button size="small" submit off={!/^[1-9]\d{0,5}$/.test(units)}>
                Give consent
              </Button>
            </form>
          </li>
        ) : null}
      </ul>
      {act.error === null ? null : (
        <p className="hint wrong" role="alert">
          Nothing changed: {problemOf(act.error).title}
        </p>
      )}
    </Card>
  )
}

function Consent({
  consent,
  onRevoke,
}: {
  readonly consent: Checklist['consents'][number]
  readonly onRevoke: () => void
}) {
  const now = useNow()
  const on = useFlowSwitches()
  const { cost_cap_units: cap, cost_consumed_units: used, revoked_at, minted_by, allowed_lanes } = consent
  const ends = Date.parse(consent.expires_at)
  const isLive = revoked_at === null && ends > now
  return (
    <li>
      <div className="flow-burn">
        <p className="small">
          <b className="num">
            {cap - used} of {cap}
          </b>{' '}
          units left, lane <Text>{allowed_lanes.join(', ')}</Text>, by <Text>{minted_by}</Text>,{' '}
          {revoked_at !== null
            ? `revoked ${whenText(Date.parse(revoked_at))}`
            : ends > now
              ? `${timeLeft(ends - now)} left`
              : 'expired'}
        </p>
        <div className="bar" role="img" aria-label={`${used} of ${cap} units spent`}>
          <i style={{ width: `${((cap - used) / cap) * 100}%` }} />
        </div>
        <p className="tiny faint">
          {consent.lifts_asks
            ? 'Calls that the policy would ask about run without asking.'
            : 'Calls that the policy asks about still wait for an approver.'}{' '}
          <code>{consent.consent_id}</code>
        </p>
      </div>
      {isLive && on.runs ? (
        <Button kind="deny" size="small" onClick={onRevoke}>
          Revoke
        </Button>
      ) : null}
    </li>
  )
}
