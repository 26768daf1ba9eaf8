import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { DelegationAnswer, RoutesAnswer } from '../../../server/src/kernel/contract/delegation.ts'
import { askProven } from '../api/ask-proven.ts'
import { ask } from '../api/client.ts'
import { say } from '../lib/announce.ts'
import { exactTime, lasted } from '../lib/time.ts'
import { Button } from '../parts/button.tsx'
import { Card } from '../parts/card.tsx'
import { Refused } from '../parts/refused.tsx'
import { Failed } from '../parts/states.tsx'
import { Text } from '../parts/text.tsx'
import { TextField } from '../parts/text-field.tsx'

/** Who is asked about which calls, as the configuration says. */
export function AskedPeople() {
  const query = useQuery({
    queryKey: ['approval-routes'],
    queryFn: ({ signal }) => ask<RoutesAnswer>('/v1/approval-routes', { signal }),
    staleTime: 0,
  })
  const { groups = {}, routes = [] } = query.data ?? {}
  return (
    <Card title="Who is asked" aside={query.data === undefined ? undefined : `${routes.length} routes`}>
      {query.isError ? <Failed error={query.error} onRetry={() => void query.refetch()} /> : null}
      <ul className="key-rows">
        {routes.map((route) => (
          <li key={route.id}>
            <span className="what">
              <b>
                <Text>{route.id}</Text>
              </b>
              <span className="tiny faint">
                <Text>{matchWords(route.match)}</Text>
              </span>
              <span className="tiny">
                <Text>{askedWords(route, groups)}</Text>
              </span>
            </span>
            {route.strength === 'strong' ? <span className="tag">strong approval</span> : null}
          </li>
        ))}
      </ul>
      <div className="card-body">
        <p className="small dim">
          {routes.length === 0 && query.data !== undefined ? 'Every approver is asked about everything. ' : ''}
          Groups and routes are set up under <code>approvals:</code> in sluice.yaml; the first matching route applies.
        </p>
      </div>
    </Card>
  )
}

type Route = RoutesAnswer['routes'][number]

function matchWords(match: Route['match']): string {
  const parts = Object.entries(match).map(([field, value]) => {
    const text = Array.isArray(value) ? value.join(' or ') : JSON.stringify(value)
    return `${field} ${text}`
  })
  return parts.length === 0 ? 'all other calls' : parts.join(', ')
}

function askedWords({ group, people, escalation, expires_ms }: Route, groups: RoutesAnswer['groups']): string {
  const members = group === undefined ? [] : (groups[group] ?? [])
  const who = group === undefined ? 'any approver' : `${group} (${members.join(', ')})`
  const later = escalation === undefined ? '' : `; after ${lasted(escalation.after_ms)} also ${escalation.to}`
  const ends = expires_ms === undefined ? '' : `; expires after ${lasted(expires_ms)}`
  return `${people} of ${who}${later}${ends}`
}

const HOURS = [1, 8, 24, 72, 168] as const

/** Who decides in whose place, and for how long. */
export function Delegations() {
  const client = useQueryClient()
  const [to, setTo] = useState('')
  const [hours, setHours] = useState(8)
  const query = useQuery({
    queryKey: ['delegations'],
    queryFn: ({ signal }) => ask<{ readonly items: readonly DelegationAnswer[] }>('/v1/delegations', { signal }),
    staleTime: 0,
  })
  const again = () => client.invalidateQueries({ queryKey: ['delegations'] })
  const give = useMutation({
    mutationFn: (json: object) => askProven('/v1/delegations', { method: 'POST', json }),
    onSuccess: () => {
      setTo('')
      say('Delegated.')
    },
    onSettled: again,
  })
  const end = useMutation({
    mutationFn: (id: string) => ask(`/v1/delegations/${id}`, { method: 'DELETE' }),
    onSuccess: () => say('Ended.'),
    onSettled: again,
  })
  const live = (query.data?.items ?? []).filter(({ ended_at }) => ended_at === undefined)
  return (
    <Card title="Delegations" aside={query.data === undefined ? undefined : `${live.length} now`}>
      {query.isError ? <Failed error={query.error} onRetry={() => void query.refetch()} /> : null}
      <ul className="key-rows">
        {live.map(({ delegation_id, from, to: stand, until }) => (
          <li key={delegation_id}>
            <span className="what">
              <b>
                <Text>{stand}</Text>
              </b>
              <span className="tiny faint">
                decides for <Text>{from}</Text> until {exactTime(until)}
              </span>
            </span>
            <Button
              size="small"
              label={`End the delegation from ${from} to ${stand}`}
              busy={end.isPending && end.variables === delegation_id}
              onClick={() => end.mutate(delegation_id)}
            >
              End
            </Button>
          </li>
        ))}
      </ul>
      <div className="card-body">
        <div className="two">
          <TextField id="delegate-to" label="Delegate to" value={to} onValue={setTo} placeholder="another approver" />
          <div>
            <label className="label" htmlFor="delegate-for">
              For
            </label>
            <select
              id="delegate-for"
              className="select"
              value={hours}
              onChange={(event) => setHours(Number(event.target.value))}
            >
              {HOURS.map((one) => (
                <option key={one} value={one}>
                  {one < 24 ? `${one} h` : `${one / 24} d`}
                </option>
              ))}
            </select>
          </div>
        </div>
        <Refused of={give.error} says="The delegation was not created" />
        <div className="acts">
          <Button
            off={to.trim() === ''}
            busy={give.isPending}
            onClick={() => give.mutate({ to: to.trim(), for_s: hours * 3600 })}
          >
            Delegate
          </Button>
        </div>
      </div>
    </Card>
  )
}
