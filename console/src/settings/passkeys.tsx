import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { PasskeyAnswer, PasskeyOptions } from '../../../server/src/kernel/identity/passkey.ts'
import { ask } from '../api/client.ts'
import { readLogin } from '../api/login.ts'
import { ProofField, useProof } from '../inbox/proof.tsx'
import { say } from '../lib/announce.ts'
import { makePasskey, noPasskeys } from '../lib/passkey.ts'
import { whenText } from '../lib/time.ts'
import { Button } from '../parts/button.tsx'
import { Card } from '../parts/card.tsx'
import { TextField } from '../parts/text-field.tsx'
import { NamedList } from './named-list.tsx'

/** For strong approvals: a fingerprint, face or PIN on the person's own device. */
export function Passkeys() {
  const client = useQueryClient()
  const [name, setName] = useState('')
  const query = useQuery({
    queryKey: ['passkeys'],
    queryFn: ({ signal }) => ask<{ readonly items: readonly PasskeyAnswer[] }>('/v1/passkeys', { signal }),
    staleTime: 0,
  })
  const proof = useProof({
    wanted: true,
    always: false,
    challenge: () => ask<PasskeyOptions>('/v1/passkeys/proof', { method: 'POST' }),
  })
  const add = useMutation({
    mutationFn: async () => {
      // A person who already has a passkey or passphrase must use it first, so that a stolen key cannot add a passkey.
      const given = await proof.give()
      const options = await ask<PasskeyOptions>('/v1/passkeys/options', { method: 'POST' })
      const response = await makePasskey(options)
      return ask<PasskeyAnswer>('/v1/passkeys', { method: 'POST', json: { name: name.trim(), response, ...given } })
    },
    onSuccess: () => {
      say('The passkey is added.')
      setName('')
      proof.clear()
      void readLogin()
    },
    onError: (error) => proof.refused(error),
    onSettled: () => client.invalidateQueries({ queryKey: ['passkeys'] }),
  })
  const items = query.data?.items ?? []
  const off = noPasskeys()
  return (
    <Card title="Passkeys" aside={items.length === 0 ? 'you have none' : `you have ${items.length}`}>
      <NamedList
        items={items.map(({ passkey_id, name: its, created_at, used_at }) => ({
          id: passkey_id,
          name: its,
          about: `added ${whenText(created_at)}${used_at === undefined ? '' : `, used ${whenText(used_at)}`}`,
        }))}
      />
      <div className="card-body">
        <p className="small dim">
          With a passkey, every strong approval asks for a fingerprint, face or PIN. If you lose a passkey, another
          admin can remove it.
        </p>
        {off === undefined ? (
          <>
            <TextField
              id="passkey-name"
              label="Name of the new passkey"
              maxLength={64}
              placeholder="my laptop"
              value={name}
              onValue={setName}
            />
            <ProofField of={proof} id="passkey-proof" />
            <div className="acts">
              <Button off={name.trim() === '' || !proof.isReady} busy={add.isPending} onClick={() => add.mutate()}>
                Add a passkey
              </Button>
            </div>
          </>
        ) : (
          <p className="hint">{off}</p>
        )}
      </div>
    </Card>
  )
}
