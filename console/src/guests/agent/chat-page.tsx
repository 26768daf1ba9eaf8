import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { LiveSign } from '../../inbox/inbox-page.tsx'
import { many } from '../../lib/time.ts'
import { Ago } from '../../parts/ago.tsx'
import { Icon } from '../../parts/icon.tsx'
import { ShowMore } from '../../parts/show-more.tsx'
import { Empty, ListStates } from '../../parts/states.tsx'
import { Text } from '../../parts/text.tsx'
import { NewThread } from './composer.tsx'
import { statusWords, threadsQuery, type ListedThread } from './thread-query.ts'
import { ThreadView } from './thread-view.tsx'

/** Conversations with the agent: the list, and one of them. */
export function ChatPage() {
  const { id } = useParams({ strict: false })
  return (
    <div className={id === undefined ? 'chat' : 'chat open'}>
      <h1 className="sr">Chat</h1>
      <ThreadList chosen={id} />
      {id === undefined ? (
        <section className="chat-main" aria-label="New conversation">
          <NewThread />
        </section>
      ) : id === 'new' ? (
        <section className="chat-main" aria-label="New conversation">
          <div className="chat-top phone-only">
            <BackToList />
            <h2>New conversation</h2>
          </div>
          <NewThread />
        </section>
      ) : (
        <ThreadView key={id} run_id={id} />
      )}
    </div>
  )
}

export function BackToList() {
  return (
    <Link to="/chat" className="btn quiet small" aria-label="All conversations">
      <Icon name="back" />
    </Link>
  )
}

function ThreadList({ chosen }: { readonly chosen: string | undefined }) {
  const query = useInfiniteQuery(threadsQuery)
  const threads = query.data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <section className="chat-list" aria-label="Conversations">
      <div className="list-head">
        <h2>Chat</h2>
        <span className="grow" />
        <LiveSign />
        <Link to="/chat/$id" params={{ id: 'new' }} className="btn small">
          <Icon name="plus" />
          New
        </Link>
      </div>
      <div className="scroll">
        <ListStates
          of={query}
          empty={
            threads.length === 0 ? (
              <Empty title="No conversations yet">
                <p className="small">Conversations that you start appear here.</p>
              </Empty>
            ) : undefined
          }
        >
          <ul>
            {threads.map((thread) => (
              <li key={thread.run_id}>
                <ThreadRow thread={thread} chosen={thread.run_id === chosen} />
              </li>
            ))}
          </ul>
        </ListStates>
        <ShowMore of={query} />
      </div>
    </section>
  )
}

function ThreadRow({ thread, chosen }: { readonly thread: ListedThread; readonly chosen: boolean }) {
  const { words, tag } = statusWords(thread.status)
  return (
    <Link
      to="/chat/$id"
      params={{ id: thread.run_id }}
      className="thread-row"
      aria-current={chosen ? 'page' : undefined}
    >
      <span className="thread-title">{thread.title === '' ? 'Not stored' : <Text>{thread.title}</Text>}</span>
      <span className="thread-meta">
        <span className={`tag ${tag}`}>{words}</span>
        <span>{many(thread.turns, 'answer')}</span>
        <Ago at={thread.created_at} />
      </span>
    </Link>
  )
}
