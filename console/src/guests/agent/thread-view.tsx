import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { ask } from '../../api/client.ts'
import { problemOf } from '../../api/problem.ts'
import { PacketView } from '../../inbox/packet-view.tsx'
import { useMe } from '../../inbox/use-me.ts'
import { say } from '../../lib/announce.ts'
import { isWide } from '../../lib/is-wide.ts'
import { Button } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Note } from '../../parts/note.tsx'
import { Failed, Skeleton } from '../../parts/states.tsx'
import { Text } from '../../parts/text.tsx'
import { BackToList } from './chat-page.tsx'
import { Reply } from './composer.tsx'
import { useThreadNews, type ThreadNews } from './follow-thread.ts'
import { Conversation } from './conversation.tsx'
import { callsOf } from './thread-calls.ts'
import { statusWords, threadQuery, threadRunQuery, type ShownThread } from './thread-query.ts'
import { ThreadSide } from './thread-side.tsx'

const DECIDING = new Set(['approver', 'admin'])

/** One conversation: messages, proposed calls, pending approvals and progress. */
export function ThreadView({ run_id }: { readonly run_id: string }) {
  const query = useQuery(threadQuery(run_id))
  const run = useQuery(threadRunQuery(run_id))
  const news = useThreadNews(run_id)
  const me = useMe()
  const [isSideOpen, setSideOpen] = useState(false)
  const { data: thread } = query
  if (thread === undefined)
    return (
      <section className="chat-main" aria-label="Conversation">
        {query.isError ? <Failed error={query.error} onRetry={() => void query.refetch()} /> : <Skeleton rows={4} />}
      </section>
    )
  const owner = run.data?.owner
  const isOwn = owner !== undefined && me !== undefined && owner.id === me.id && owner.user === me.user
  const calls = callsOf(news.events)
  const { words, tag } = statusWords(thread.status)
  return (
    <>
      <section className="chat-main" aria-label="Conversation">
        <div className="chat-top">
          <BackToList />
          <h2>{thread.title === '' ? 'Not stored' : <Text>{thread.title}</Text>}</h2>
          <span className={`tag ${tag}`}>{words}</span>
          <span className="grow" />
          <Button size="small" className="side-button" pressed={isSideOpen} onClick={() => setSideOpen(!isSideOpen)}>
            Details
          </Button>
          {isOwn ? <Stop thread={thread} /> : null}
        </div>
        {news.state === 'lost' ? (
          <p className="chat-lost small" role="status">
            <Icon name="warn" /> Not live. What happens now is shown when the gate answers again.
          </p>
        ) : null}
        <Conversation thread={thread} draft={news.draft?.text} calls={calls} owner={isOwn ? undefined : owner?.user} />
        <Waiting thread={thread} mayDecide={me !== undefined && DECIDING.has(me.kind)} />
        {isOwn && news.state !== 'ended' ? (
          <Reply
            thread_id={thread.thread_id}
            question={thread.awaiting_user_input}
            retry={thread.awaiting_user_input && hasFailed(thread)}
          />
        ) : (
          <p className="chat-reply small dim">
            {news.state === 'ended'
              ? 'This conversation has ended. Start a new one.'
              : 'You can read this conversation. Only its owner can write in it.'}
          </p>
        )}
      </section>
      <ThreadSide thread={thread} news={news} calls={calls} table={run.data?.graph} open={isSideOpen} />
      <Announcements thread={thread} news={news} />
    </>
  )
}

const MOST_TRIES = 3
const hasFailed = ({ plan, current_step }: ShownThread): boolean => (plan[current_step]?.tries ?? 0) >= MOST_TRIES

/** The packet and decision bar of the inbox: a decision here uses the same command. */
function Waiting({ thread, mayDecide }: { readonly thread: ShownThread; readonly mayDecide: boolean }) {
  const id = thread.awaiting_approval ? thread.approval_id : null
  // On a phone the packet covers the conversation, so it is opened by hand there.
  const [turned, setTurned] = useState<string>()
  const isOpen = (turned === id) !== isWide()
  if (id === null) return null
  if (!mayDecide)
    return (
      <div className="chat-note">
        <Note kind="ask" icon="clock" small>
          <p>
            <b>A call waits for an approver.</b> The conversation continues by itself when it is decided.
          </p>
        </Note>
      </div>
    )
  if (!isOpen)
    return (
      <div className="chat-note">
        <Note kind="ask" icon="clock" small>
          <p>
            <b>A call waits for a person.</b>
          </p>
          <div className="acts">
            <Button size="small" onClick={() => setTurned(isWide() ? undefined : id)}>
              Read and decide
            </Button>
          </div>
        </Note>
      </div>
    )
  return (
    <section className="packet open chat-packet" aria-label="Call that waits">
      <PacketView
        key={id}
        id={id}
        alike={1}
        group={undefined}
        takesFocus={false}
        onBack={() => setTurned(isWide() ? id : undefined)}
        onDecided={() => {}}
      />
    </section>
  )
}

function Stop({ thread }: { readonly thread: ShownThread }) {
  const client = useQueryClient()
  const stop = useMutation({
    mutationFn: () => ask(`/agent/threads/${encodeURIComponent(thread.thread_id)}/cancel`, { method: 'POST' }),
    onSuccess: () => say('The agent was asked to stop.'),
    onSettled: () => client.invalidateQueries({ queryKey: ['threads'] }),
  })
  const isIdle = thread.status === 'completed' || thread.status === 'failed' || thread.status === 'cancelled'
  return (
    <>
      {stop.error === null ? null : (
        <span className="hint wrong" role="alert">
          {problemOf(stop.error).title}
        </span>
      )}
      <Button kind="deny" size="small" off={isIdle} busy={stop.isPending} onClick={() => stop.mutate()}>
        Stop
      </Button>
    </>
  )
}

/** Announces events to screen readers while the page is open. */
function Announcements({ thread, news }: { readonly thread: ShownThread; readonly news: ThreadNews }) {
  const before = useRef(thread.status)
  const { status } = thread
  useEffect(() => {
    if (before.current !== status && news.state === 'live') say(`The conversation: ${statusWords(status).words}.`)
    before.current = status
  }, [status, news.state])
  return null
}
