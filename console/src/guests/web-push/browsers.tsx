import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { PushAnswer } from '../../../../server/src/kernel/contract/web-push.ts'
import { ask } from '../../api/client.ts'
import { say } from '../../lib/announce.ts'
import { noPush, subscribeBrowser } from './subscribe-browser.ts'
import { many, shortTime } from '../../lib/time.ts'
import { shownText } from '../../lib/visible.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { Refused } from '../../parts/refused.tsx'
import { Failed } from '../../parts/states.tsx'
import { Text } from '../../parts/text.tsx'
import { TextField } from '../../parts/text-field.tsx'
import { NamedList } from '../../settings/named-list.tsx'

/** Browsers and phones that show a notification when a call waits. It says what kind of call, and no value of it. */
export function Browsers() {
  const client = useQueryClient()
  const [name, setName] = useState('')
  const query = useQuery({
    queryKey: ['push'],
    queryFn: ({ signal }) => ask<PushAnswer>('/v1/push', { signal }),
    staleTime: 0,
  })
  const again = () => client.invalidateQueries({ queryKey: ['push'] })
  const add = useMutation({
    mutationFn: (key: string) => subscribeBrowser(key, name.trim()),
    onSuccess: () => {
      setName('')
      say('This browser will be notified of new calls.')
    },
    onSettled: again,
  })
  const remove = useMutation({
    mutationFn: (id: string) => ask(`/v1/push/${encodeURIComponent(id)}`, { method: 'DELETE' }),
    onSuccess: () => say('It will not be notified any more.'),
    onSettled: again,
  })
  const off = noPush()
  const { data } = query
  return (
    <Card title="Notifications" aside={data === undefined ? undefined : many(data.items.length, 'browser')}>
      {query.isError ? <Failed error={query.error} onRetry={() => void query.refetch()} /> : null}
      <NamedList
        items={(data?.items ?? []).map(({ push_id, name: its, created_at, host }) => ({
          id: push_id,
          name: its,
          about: (
            <>
              since {shortTime(created_at)}, by <Text>{host}</Text>
            </>
          ),
          act: (
            <Button
              kind="deny"
              size="small"
              label={`Stop notifying ${shownText(its)}`}
              busy={remove.isPending && remove.variables === push_id}
              onClick={() => remove.mutate(push_id)}
            >
              Remove
            </Button>
          ),
        }))}
      />
      <div className="card-body">
        <p className="small dim">
          When a call waits, a notification says what kind of call it is and how risky. Nothing of its inputs is sent.
        </p>
        {off === undefined ? (
          <>
            <TextField
              id="push-name"
              label="Name of this browser"
              maxLength={64}
              placeholder="my phone"
              value={name}
              onValue={setName}
            />
            <Refused of={add.error} says="This browser was not added" />
            <div className="acts">
              <Button
                off={name.trim() === '' || data === undefined}
                busy={add.isPending}
                onClick={() => add.mutate(data?.public_key ?? '')}
              >
                Notify this browser
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
