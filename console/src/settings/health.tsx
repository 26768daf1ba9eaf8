import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ask } from '../api/client.ts'
import { ProblemError, problemOf } from '../api/problem.ts'
import { stateWord } from '../tools/server-health.tsx'
import { serversQuery } from '../tools/tools-query.ts'
import { Button } from '../parts/button.tsx'
import { Card } from '../parts/card.tsx'
import { Icon } from '../parts/icon.tsx'
import { GateText } from '../parts/gate-text.tsx'
import { Text } from '../parts/text.tsx'

type Ready = { readonly ok: boolean; readonly warnings?: readonly { readonly code: string; readonly says: string }[] }

/** Gate health. */
export function Health() {
  const ready = useQuery({ queryKey: ['ready'], queryFn: () => ask<Ready>('/readyz'), staleTime: 0, retry: false })
  const servers = useQuery(serversQuery)
  const ill = (servers.data ?? []).filter(({ state }) => state !== 'ready')
  return (
    <Card
      title="Gate health"
      aside={
        <Button size="small" busy={ready.isFetching} onClick={() => void ready.refetch()}>
          Check again
        </Button>
      }
    >
      <ul className="facts">
        {ready.error instanceof ProblemError ? (
          <li className="no">
            <Icon name="warn" />
            <span>
              <b>The gate accepts no calls.</b>{' '}
              <GateText>{problemOf(ready.error).detail || problemOf(ready.error).title}</GateText>
            </span>
          </li>
        ) : (
          <li className="yes">
            <Icon name="check" />
            <span>
              <b>The gate accepts calls.</b>
            </span>
          </li>
        )}
        {(ready.data?.warnings ?? []).map((warning) => (
          <li key={warning.code} className="no">
            <Icon name="warn" />
            <span>
              <GateText>{warning.says}</GateText> <code>{warning.code}</code>
            </span>
          </li>
        ))}
        {ill.map((server) => (
          <li key={server.server} className="no">
            <Icon name="tool" />
            <span>
              The tool server <Text>{server.server}</Text> is {stateWord(server)}. <Link to="/tools">Show</Link>
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
