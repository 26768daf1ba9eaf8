import { useQuery } from '@tanstack/react-query'
import type { z } from 'zod'
import type { ChannelsAnswer } from '../../../server/src/kernel/contract/answers.ts'
import { ask } from '../api/client.ts'
import { Card } from '../parts/card.tsx'
import { Failed } from '../parts/states.tsx'
import { Text } from '../parts/text.tsx'

/** The channels that announce requests. They are set up in the configuration. */
export function Channels() {
  const query = useQuery({
    queryKey: ['channels'],
    queryFn: ({ signal }) => ask<z.infer<typeof ChannelsAnswer>>('/v1/channels', { signal }),
    staleTime: 0,
  })
  const items = query.data?.items ?? []
  return (
    <Card title="Channels" aside={query.data === undefined ? undefined : `${items.length} set up`}>
      {query.isError ? <Failed error={query.error} onRetry={() => void query.refetch()} /> : null}
      {items.length === 0 ? null : (
        <ul className="key-rows">
          {items.map(({ name, events, answers }) => (
            <li key={name}>
              <span className="what">
                <b>
                  <Text>{name}</Text>
                </b>
                <span className="tiny faint">events: {events.join(', ')}</span>
              </span>
              <span className="tag">{answers ? 'accepts decisions' : 'notifies only'}</span>
            </li>
          ))}
        </ul>
      )}
      <div className="card-body">
        <p className="small dim">
          Webhooks and push topics are set up under <code>channels:</code> in sluice.yaml.
        </p>
      </div>
    </Card>
  )
}
