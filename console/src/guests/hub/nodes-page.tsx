import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { AnswerOf } from '../../../../server/src/client/client.ts'
import { gate } from '../../api/client.ts'
import { pendingQuery } from '../../api/queries.ts'
import type { Packet } from '../../api/types.ts'
import { sentenceOf } from '../../inbox/packet-words.ts'
import { many } from '../../lib/time.ts'
import { Ago } from '../../parts/ago.tsx'
import { Countdown } from '../../parts/countdown.tsx'
import { Risk } from '../../parts/risk.tsx'
import { Sentence } from '../../parts/sentence.tsx'
import { Empty, Failed, Skeleton } from '../../parts/states.tsx'
import { Text } from '../../parts/text.tsx'

type Node = AnswerOf<'GET /v1/hub/nodes'>['items'][number]

/** The stream does not report when a node was last seen, so this is polled. */
const LOOK_EVERY_MS = 5_000

/** The nodes whose approvals are decided here, and their pending calls. */
export function NodesPage() {
  const query = useQuery({
    queryKey: ['nodes'],
    queryFn: ({ signal }) => gate.ask('GET /v1/hub/nodes', { signal }),
    refetchInterval: LOOK_EVERY_MS,
    refetchOnMount: 'always',
    staleTime: 0,
  })
  const pending = useQuery(pendingQuery)
  const nodes = query.data?.items ?? []
  const waiting = (pending.data ?? []).filter(({ node }) => node !== undefined)
  return (
    <>
      <div className="top">
        <h1>Nodes</h1>
        <span className="faint small">{query.data === undefined ? '' : many(nodes.length, 'node')}</span>
      </div>
      <div className="scroll">
        {query.isError && query.data === undefined ? (
          <Failed error={query.error} onRetry={() => void query.refetch()} />
        ) : query.data === undefined ? (
          <Skeleton />
        ) : nodes.length === 0 ? (
          <Empty title="This gate has no nodes">
            <p className="small">
              A node is another gate whose held calls are decided here. Create its key with{' '}
              <code>sluice keys create node NAME</code>.
            </p>
          </Empty>
        ) : (
          <div className="body tiles">
            {nodes.map((node) => (
              <NodeCard
                key={nameOf(node)}
                node={node}
                waiting={waiting.filter(
                  (packet) => packet.node?.name === node.node && packet.asked_by.user === node.user,
                )}
              />
            ))}
          </div>
        )}
      </div>
    </>
  )
}

/** Usually the user of a node is its name. */
const nameOf = ({ node, user }: Node) => (user === node ? node : `${node} of ${user}`)

function NodeCard({ node, waiting }: { readonly node: Node; readonly waiting: readonly Packet[] }) {
  const isRevoked = node.state === 'revoked'
  return (
    <section className="card tile w6" aria-label={`Node ${nameOf(node)}`}>
      <p>
        <b>
          <Text>{nameOf(node)}</Text>
        </b>{' '}
        {isRevoked ? <span className="tag">key revoked</span> : null}
      </p>
      <p className="small dim">
        {node.seen_at === undefined ? (
          'Not seen since this hub started.'
        ) : (
          <>
            Last seen <Ago at={node.seen_at} />.
          </>
        )}{' '}
        {node.pending === 0 ? 'No pending requests.' : `${many(node.pending, 'pending request')}.`}
      </p>
      {waiting.map((packet) => (
        <Link
          key={packet.approval_id}
          to="/approvals/$id"
          params={{ id: packet.approval_id }}
          className="held"
          activeProps={{}}
        >
          <span className="held-what">
            <Sentence of={sentenceOf(packet)} />
          </span>
          <Countdown from={packet.created_at} until={packet.expires_at} />
          <span className="held-meta">
            {packet.risk === undefined ? null : <Risk of={packet.risk.class} />}
            <span>
              <Text>{packet.node?.context.caller ?? ''}</Text> for <Text>{packet.node?.context.user ?? ''}</Text>
            </span>
            {packet.node?.context.document === undefined ? null : (
              <span className="tag">
                <Text>{packet.node.context.document}</Text>
              </span>
            )}
          </span>
        </Link>
      ))}
    </section>
  )
}
