import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../api/client.ts'
import { readLogin } from '../api/login.ts'
import { useMe } from '../inbox/use-me.ts'
import { say } from '../lib/announce.ts'
import { Button } from '../parts/button.tsx'
import { Card } from '../parts/card.tsx'
import { Refused } from '../parts/refused.tsx'
import { TextField } from '../parts/text-field.tsx'

const SHORTEST = 10

/** For strong approvals, so that a stolen key is not enough. */
export function Passphrase() {
  const me = useMe()
  const has = me?.proofs.passphrase === true
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const save = useMutation({
    mutationFn: (json: object) => ask('/v1/passphrase', { method: 'POST', json }),
    onSuccess: () => {
      say('The passphrase is set.')
      void readLogin()
    },
    onSettled: () => {
      setCurrent('')
      setNext('')
    },
  })
  return (
    <Card title="Passphrase" aside={has ? 'you have one' : 'you have none'}>
      <div className="card-body">
        <p className="small dim">
          Strong approvals can ask for it, so a stolen key alone is not enough to approve.
          {me?.proofs.needed === true ? ' This gate asks for it at every strong approval.' : ''}
        </p>
        {has ? (
          <TextField
            id="passphrase-current"
            label="Current passphrase"
            type="password"
            autoComplete="current-password"
            value={current}
            onValue={setCurrent}
          />
        ) : null}
        <TextField
          id="passphrase-next"
          label={`New passphrase, at least ${SHORTEST} characters`}
          type="password"
          autoComplete="new-password"
          value={next}
          onValue={setNext}
        />
        <Refused of={save.error} says="It was not set" />
        <div className="acts">
          <Button
            off={next.length < SHORTEST || (has && current === '')}
            busy={save.isPending}
            onClick={() => save.mutate({ passphrase: next, ...(has ? { current } : {}) })}
          >
            Set the passphrase
          </Button>
        </div>
      </div>
    </Card>
  )
}
