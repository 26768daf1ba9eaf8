import { useEffect, useRef } from 'react'
import { shortTime } from '../../lib/time.ts'
import { Fold } from '../../parts/fold.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Note } from '../../parts/note.tsx'
import { Text } from '../../parts/text.tsx'
import { InputFields, Value } from '../../inbox/fields.tsx'
import { EffectWord } from '../../parts/verdict.tsx'
import type { ThreadCall } from './thread-calls.ts'
import type { ThreadMessage, ShownThread } from './thread-query.ts'

type ConversationProps = {
  readonly thread: ShownThread
  readonly draft: string | undefined
  readonly calls: readonly ThreadCall[]
  /** The owner of the conversation, if it is not the reader. */
  readonly owner: string | undefined
}

const NEAR_PX = 80

/** All messages are plain text, whether from the person, a model or a tool server. None is rendered as markup. */
export function Conversation({ thread, draft, calls, owner }: ConversationProps) {
  const pane = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  const { messages, question, status, summary } = thread
  const last = calls.at(-1)
  const isOpen = last !== undefined && last.result === undefined && thread.proposed_tool !== null
  // Scrolls to the newest line, unless the reader has scrolled back.
  useEffect(() => {
    if (isAtEnd.current) pane.current?.scrollTo({ top: pane.current.scrollHeight })
  }, [messages.length, draft, isOpen, last?.verdict, status])
  return (
    <div
      className="messages"
      ref={pane}
      tabIndex={0}
      role="log"
      aria-live="off"
      aria-label="Messages"
      onScroll={(event) => {
        const { scrollHeight, scrollTop, clientHeight } = event.currentTarget
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_PX
      }}
    >
      {summary === null ? null : (
        <Note icon="layers" small>
          <p>
            <b>The model summarised older messages:</b> “<Text lines>{summary}</Text>”
          </p>
        </Note>
      )}
      {messages.map((message, at) => (
        <GateText key={at} message={message} owner={owner} />
      ))}
      {isOpen ? <Proposal call={last} /> : null}
      {draft === undefined || draft === '' || isStored(draft, messages) ? null : (
        <article className="said assistant" aria-label="The agent is writing">
          <header className="said-by">
            <Icon name="agent" size="s" />
            Agent <span className="faint">is writing</span>
          </header>
          <div className="bubble">
            <Text lines>{draft}</Text>
          </div>
        </article>
      )}
      {status === 'running' && draft === undefined && !isOpen ? (
        <p className="small faint working">
          <span className="spin" aria-hidden="true" /> Working
        </p>
      ) : null}
      {question === null ? null : (
        <Note kind="ask" icon="person" small>
          <p>
            <b>The agent asks:</b> “<Text lines>{question}</Text>”
          </p>
        </Note>
      )}
    </div>
  )
}

/** The stored answer can arrive before the event that ends its draft. */
function isStored(draft: string, messages: readonly ThreadMessage[]): boolean {
  const newest = messages.at(-1)
  return newest?.role === 'assistant' && newest.text.trim().startsWith(draft.trim())
}

const LONG = 600

function GateText({ message, owner }: { readonly message: ThreadMessage; readonly owner: string | undefined }) {
  const { role, text, at, tool } = message
  if (role === 'tool')
    return (
      <div className="said tool">
        <Fold
          label={
            <>
              Result of{' '}
              {tool === undefined ? (
                'a call'
              ) : (
                <code>
                  <Text>{tool}</Text>
                </code>
              )}
            </>
          }
        >
          <pre className="val tool-text" tabIndex={0}>
            <Text lines>{text}</Text>
          </pre>
        </Fold>
      </div>
    )
  const name = role === 'user' ? (owner ?? 'You') : 'Agent'
  return (
    <article className={`said ${role}`} aria-label={`${name} said`}>
      <header className="said-by">
        <Icon name={role === 'user' ? 'person' : 'agent'} size="s" />
        <Text>{name}</Text>
        {at === 0 ? null : <time className="faint">{shortTime(at)}</time>}
      </header>
      <div className={text.length > LONG ? 'bubble long' : 'bubble'}>
        <Text lines>{text}</Text>
      </div>
    </article>
  )
}

/** The current call. The outcomes of earlier ones are in the results and in the list beside. */
function Proposal({ call }: { readonly call: ThreadCall }) {
  return (
    <section className="card proposal" aria-label="Proposed call">
      <div className="card-head">
        <h3>
          The model proposes{' '}
          <code>
            <Text>{call.tool}</Text>
          </code>
        </h3>
        <span className="aside">
          {call.verdict === undefined ? 'the gate is judging it' : <EffectWord of={call.verdict.effect} />}
        </span>
      </div>
      <CallArguments args={call.args} />
    </section>
  )
}

export function CallArguments({ args }: { readonly args: unknown }) {
  if (typeof args !== 'object' || args === null || Array.isArray(args))
    return (
      <div className="card-body">
        <Value of={args} />
      </div>
    )
  if (Object.keys(args).length === 0) return <p className="card-body small dim">No inputs.</p>
  return <InputFields of={args} />
}
