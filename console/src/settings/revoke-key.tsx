import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../api/client.ts'
import type { ListedKey, KeyGrants } from '../api/types.ts'
import { say } from '../lib/announce.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Refused } from '../parts/refused.tsx'
import { Failed } from '../parts/states.tsx'
import { Text } from '../parts/text.tsx'

const WHAT: Readonly<Record<KeyGrants[number]['what'], string>> = {
  consent: 'consent',
  flow_consent: 'consent for a flow run',
  delegation: 'delegation',
  approval: 'approval',
  held_call: 'held call',
  login: 'login',
  key: 'key that it created',
}
const CAN_BE_KEPT: readonly KeyGrants[number]['what'][] = ['consent', 'flow_consent', 'delegation', 'approval']

/** Says what ends with a key before it is revoked. */
export function RevokeKey({ of: key, onClose }: { readonly of: ListedKey; readonly onClose: () => void }) {
  const client = useQueryClient()
  const [isKept, setKept] = useState(false)
  const query = useQuery({
    queryKey: ['keys', key.key_id, 'grants'],
    queryFn: ({ signal }) => ask<{ readonly grants: KeyGrants }>(`/v1/keys/${key.key_id}/grants`, { signal }),
    staleTime: 0,
  })
  const revoke = useMutation({
    mutationFn: () => ask(`/v1/keys/${key.key_id}${isKept ? '?keep_grants=1' : ''}`, { method: 'DELETE' }),
    onSuccess: () => {
      say('Revoked.')
      onClose()
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['keys'] }),
  })
  const grants = query.data?.grants ?? []
  const isEnding = ({ what, ends }: KeyGrants[number]) => ends && !(isKept && CAN_BE_KEPT.includes(what))
  return (
    <Dialog
      title={`Revoke ${key.caller.id}?`}
      onClose={onClose}
      cancel="Cancel"
      act={
        <Button kind="danger" off={query.data === undefined} busy={revoke.isPending} onClick={() => revoke.mutate()}>
          Revoke
        </Button>
      }
    >
      {query.error === null ? null : <Failed error={query.error} onRetry={() => void query.refetch()} />}
      {query.data !== undefined && grants.length === 0 ? <p>Nothing else ends with this key.</p> : null}
      <Grants title="Also ends" of={grants.filter(isEnding)} />
      <Grants title="Not affected" of={grants.filter((grant) => !isEnding(grant))} />
      {grants.some(({ what, ends }) => ends && CAN_BE_KEPT.includes(what)) ? (
        <label className="opt">
          <input type="checkbox" checked={isKept} onChange={(event) => setKept(event.target.checked)} />
          Revoke only the key, and keep its consents, delegations and approvals
        </label>
      ) : null}
      <Refused of={revoke.error} says="The key was not revoked" />
    </Dialog>
  )
}

function Grants({ title, of: grants }: { readonly title: string; readonly of: KeyGrants }) {
  if (grants.length === 0) return null
  return (
    <>
      <p>
        <b>
          {title}: {grants.length}
        </b>
      </p>
      <ul>
        {grants.map(({ what, id, says }) => (
          <li key={id}>
            {WHAT[what]}: <Text>{says}</Text>
          </li>
        ))}
      </ul>
    </>
  )
}
