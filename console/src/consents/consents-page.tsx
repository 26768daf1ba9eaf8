import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { argumentsText, CONSENT_STATES } from '../../../server/src/kernel/contract/consent-text.ts'
import type { ConsentView } from '../../../server/src/kernel/contract/consent.ts'
import { ask } from '../api/client.ts'
import { problemOf } from '../api/problem.ts'
import { allOf } from '../api/queries.ts'
import { say } from '../lib/announce.ts'
import { useMay } from '../lib/may.ts'
import { many, shortTime, timeLeft, whenText } from '../lib/time.ts'
import { useNow } from '../lib/use-now.ts'
import { Button } from '../parts/button.tsx'
import { GateText } from '../parts/gate-text.tsx'
import { Empty, ListStates } from '../parts/states.tsx'
import { Text } from '../parts/text.tsx'

/** The consents, what is left of each, and a way to revoke them. */
export function ConsentsPage() {
  const query = useQuery({
    queryKey: ['consents', 'all'],
    queryFn: ({ signal }) => allOf<ConsentView>('/v1/consents', 1_000, signal),
    refetchOnMount: 'always',
    staleTime: 0,
  })
  const [all, setAll] = useState(false)
  const consents = query.data ?? []
  const active = consents.filter(({ state }) => state === 'active')
  const shown = all ? consents : active
  return (
    <>
      <div className="top">
        <h1>Consents</h1>
        <span className="faint small">{query.data === undefined ? '' : `${active.length} active`}</span>
        <span className="grow" />
        <div className="tabs" role="group" aria-label="Which">
          <button type="button" aria-pressed={!all} onClick={() => setAll(false)}>
            Active
          </button>
          <button type="button" aria-pressed={all} onClick={() => setAll(true)}>
            All <span className="num">{consents.length}</span>
          </button>
        </div>
      </div>
      <div className="scroll">
        <ListStates
          of={query}
          empty={
            shown.length === 0 ? (
              <Empty title="No active consents">
                <p className="small">
                  Every call that needs an approval is held. To let similar calls run, choose “Remember” in the inbox.
                </p>
              </Empty>
            ) : undefined
          }
        >
          <div className="body tiles">
            {shown.map((consent) => (
              <Consent key={consent.consent_id} consent={consent} />
            ))}
          </div>
        </ListStates>
      </div>
    </>
  )
}

function Consent({ consent }: { readonly consent: ConsentView }) {
  const mayRevoke = useMay('decide')
  const now = useNow()
  const client = useQueryClient()
  const revoke = useMutation({
    mutationFn: () => ask(`/v1/consents/${consent.consent_id}`, { method: 'DELETE' }),
    onSuccess: () => say('Revoked. The next call like it will be held.'),
    onSettled: () => client.invalidateQueries({ queryKey: ['consents'] }),
  })
  const isActive = consent.state === 'active'
  const used = consent.calls - consent.calls_left
  return (
    <section className="card tile w6" aria-label={`Consent ${consent.consent_id}`}>
      <p>
        <b>
          <Text>{consent.actor.replace(/^(?:caller|user):/, '')}</Text>
        </b>{' '}
        may use <b className="mono">{consent.what.tool}</b>,{' '}
        <b>{isActive ? `${many(consent.calls_left, 'time')} more` : CONSENT_STATES[consent.state]}</b>
        {isActive ? `, until ${shortTime(consent.expires_at)}` : ''}.
      </p>
      <p className="small">
        Arguments: <GateText>{argumentsText(consent.what.args)}</GateText>.
      </p>
      <p className="small dim">
        Given by <Text>{consent.minted_by}</Text> {whenText(consent.minted_at)}: {many(consent.calls, 'call')}
        {consent.from_approval === undefined ? '' : ', from one approval'}.
      </p>
      <BurnDown consent={consent} now={now} />
      <div className="acts">
        <span className="small dim">{many(used, 'call')} used it</span>
        <span className="grow" />
        {isActive && mayRevoke ? (
          <Button kind="deny" size="small" busy={revoke.isPending} onClick={() => revoke.mutate()}>
            Revoke
          </Button>
        ) : null}
      </div>
      {revoke.error === null ? null : (
        <p className="hint wrong" role="alert">
          It was not revoked: {problemOf(revoke.error).title}
        </p>
      )}
      <p className="tiny faint ids">{consent.consent_id}</p>
    </section>
  )
}

/** Calls above, time below: the consent ends when either is used up. */
function BurnDown({ consent, now }: { readonly consent: ConsentView; readonly now: number }) {
  const spent = Math.min(
    1,
    Math.max(0, (now - consent.minted_at) / Math.max(1, consent.expires_at - consent.minted_at)),
  )
  const left = consent.calls_left / consent.calls
  return (
    <dl className="burn">
      <div>
        <dt>calls left</dt>
        <dd className="num">
          {consent.calls_left} of {consent.calls}
        </dd>
        <div className="bar" aria-hidden="true">
          <i style={{ width: `${left * 100}%` }} />
        </div>
      </div>
      <div>
        <dt>time left</dt>
        <dd className="num">{timeLeft(consent.expires_at - now)}</dd>
        <div className="bar" aria-hidden="true">
          <i style={{ width: `${(1 - spent) * 100}%` }} />
        </div>
      </div>
    </dl>
  )
}
