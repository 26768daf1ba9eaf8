import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { askProven } from '../api/ask-proven.ts'
import { allOf } from '../api/queries.ts'
import type { ListedKey } from '../api/types.ts'
import { say } from '../lib/announce.ts'
import { shortTime, whenText } from '../lib/time.ts'
import { Button } from '../parts/button.tsx'
import { Card } from '../parts/card.tsx'
import { Note } from '../parts/note.tsx'
import { Refused } from '../parts/refused.tsx'
import { Text } from '../parts/text.tsx'
import { TextField } from '../parts/text-field.tsx'
import { RevokeKey } from './revoke-key.tsx'

const KINDS = ['agent', 'user', 'approver', 'reviewer', 'admin', 'node'] as const

/** Keys without their text. A new one is shown once. */
export function Keys() {
  const [ending, setEnding] = useState<ListedKey>()
  const query = useQuery({
    queryKey: ['keys'],
    queryFn: ({ signal }) => allOf<ListedKey>('/v1/keys', 1_000, signal),
    staleTime: 0,
  })
  const live = (query.data ?? []).filter(({ revoked_at }) => revoked_at === undefined)
  return (
    <Card title="Keys" aside={`${live.length} live`} className="whole">
      <ul className="key-rows">
        {live.map((key) => (
          <li key={key.key_id}>
            <span className="what">
              <b>
                <Text>{key.caller.id}</Text>
              </b>
              <span className="tiny faint">
                for <Text>{key.caller.user}</Text> · created {whenText(key.created_at)}
                {key.expires_at === undefined ? '' : ` · until ${shortTime(key.expires_at)}`} ·{' '}
                <code>{key.key_id}</code>
              </span>
            </span>
            <Button kind="deny" size="small" label={`Revoke ${key.caller.id}`} onClick={() => setEnding(key)}>
              Revoke
            </Button>
          </li>
        ))}
      </ul>
      <NewKey />
      {ending === undefined ? null : <RevokeKey of={ending} onClose={() => setEnding(undefined)} />}
    </Card>
  )
}

function NewKey() {
  const client = useQueryClient()
  const [kind, setKind] = useState<(typeof KINDS)[number]>('agent')
  const [name, setName] = useState('')
  const [user, setUser] = useState('')
  const [made, setMade] = useState<string>()
  const make = useMutation({
    mutationFn: (json: object) => askProven<ListedKey & { readonly key: string }>('/v1/keys', { method: 'POST', json }),
    onSuccess: ({ key }) => {
      setMade(key)
      setName('')
      void client.invalidateQueries({ queryKey: ['keys'] })
    },
  })
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(made ?? '')
      say('Copied.')
    } catch {
      say('It could not be copied. Select the key and copy it yourself.')
    }
  }
  return (
    <div className="card-body new-key">
      <div className="two">
        <div>
          <label className="label" htmlFor="key-kind">
            Kind
          </label>
          <select
            id="key-kind"
            className="select"
            value={kind}
            onChange={(event) => setKind(KINDS.find((one) => one === event.target.value) ?? 'agent')}
          >
            {KINDS.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </div>
        <TextField id="key-name" label="Name" value={name} onValue={setName} />
        <TextField id="key-user" label="Owner" value={user} onValue={setUser} />
      </div>
      <Refused of={make.error} says="No key was created" />
      {made === undefined ? null : (
        <Note kind="ask" icon="lock">
          <p>
            <b>This key is shown once.</b> Copy it for the person or program that needs it, then close this.
          </p>
          <code className="new-key-text">{made}</code>
          <div className="acts">
            <Button size="small" onClick={() => void copy()}>
              Copy
            </Button>
            <Button size="small" onClick={() => setMade(undefined)}>
              Done
            </Button>
          </div>
        </Note>
      )}
      <div className="acts">
        <Button
          off={name.trim() === ''}
          busy={make.isPending}
          onClick={() => make.mutate({ kind, name: name.trim(), ...(user.trim() === '' ? {} : { user: user.trim() }) })}
        >
          Create a key
        </Button>
      </div>
    </div>
  )
}
