import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { ask } from '../../api/client.ts'
import { featuresQuery } from '../../api/features.ts'
import { problemOf } from '../../api/problem.ts'
import { connection } from '../../api/stream.ts'
import { useStore } from '../../lib/store.ts'
import { Button } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { NoModel } from './no-model.tsx'
import type { AgentResponse } from './thread-query.ts'

type Sent = { readonly message: string; readonly do_not_store?: boolean }

/**
 * Sends a message. INVARIANT: a message that is resent for lack of an answer has the same key, so that the agent reads it
 * once.
 */
function useSend(thread_id: string | undefined, onSent: (answer: AgentResponse) => void) {
  const client = useQueryClient()
  const attempt = useRef<{ readonly of: string; readonly key: string }>(undefined)
  return useMutation({
    mutationFn: (sent: Sent) => {
      const of = JSON.stringify([thread_id, sent])
      if (attempt.current?.of !== of) attempt.current = { of, key: crypto.randomUUID() }
      return ask<AgentResponse>('/agent/run?wait_ms=0', {
        method: 'POST',
        json: { ...sent, ...(thread_id === undefined ? {} : { thread_id }), idempotency_key: attempt.current.key },
      })
    },
    onSuccess: (answer) => {
      attempt.current = undefined
      void client.invalidateQueries({ queryKey: ['threads'] })
      onSent(answer)
    },
  })
}

type ComposerProps = {
  readonly label: string
  readonly busy: boolean
  readonly error: unknown
  readonly isNew?: boolean
  /** What the field contains at first. */
  readonly initial?: string
  readonly onSend: (sent: Sent, done: () => void) => void
}

function Composer({ label, busy, error, isNew = false, initial = '', onSend }: ComposerProps) {
  const [text, setText] = useState(initial)
  const [isStored, setStored] = useState(true)
  const isLost = useStore(connection).state === 'lost'
  const isOff = isLost || text.trim() === ''
  const send = () => {
    if (isOff || busy) return
    onSend({ message: text.trim(), ...(isNew && !isStored ? { do_not_store: true } : {}) }, () => setText(''))
  }
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <label className="sr" htmlFor="message">
        {label}
      </label>
      <textarea
        id="message"
        className="input"
        rows={2}
        placeholder={label}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.repeat || event.nativeEvent.isComposing) return
          event.preventDefault()
          send()
        }}
      />
      <div className="composer-foot">
        {isNew ? (
          <label className="check">
            <input type="checkbox" checked={!isStored} onChange={(event) => setStored(!event.target.checked)} /> Do not
            store the texts. The conversation then ends when Sluice restarts.
          </label>
        ) : (
          <span className="tiny faint wide">Enter sends, Shift and Enter starts a new line.</span>
        )}
        <span className="grow" />
        <Button kind="primary" submit busy={busy} off={isOff}>
          Send
        </Button>
      </div>
      {error === null || error === undefined ? null : (
        <p className="hint wrong" role="alert">
          <Icon name="warn" />
          {problemOf(error).status === 0
            ? 'The gate did not answer. Send it again: the agent reads it once.'
            : `It was not sent: ${problemOf(error).detail || problemOf(error).title}`}
        </p>
      )}
    </form>
  )
}

export function NewThread() {
  const go = useNavigate()
  const agent = useQuery(featuresQuery).data?.agent
  const [phrase, setPhrase] = useState('')
  const send = useSend(undefined, ({ run_id }) => void go({ to: '/chat/$id', params: { id: run_id } }))
  return (
    <div className="chat-new">
      <div className="chat-new-in">
        {agent?.model === 'scripted' ? (
          <NoModel phrases={agent.phrases} onPhrase={setPhrase} />
        ) : (
          <>
            <h2>What should the agent do?</h2>
            <p className="dim">
              The agent makes a plan and proposes tool calls. Calls that need approval are held until somebody decides.
            </p>
          </>
        )}
        <Composer
          key={phrase}
          label={agent?.model === 'scripted' ? 'Message to the script' : 'Message to the agent'}
          initial={phrase}
          isNew
          busy={send.isPending}
          error={send.error}
          onSend={(sent, done) => send.mutate(sent, { onSuccess: done })}
        />
      </div>
    </div>
  )
}

type ReplyProps = { readonly thread_id: string; readonly question: boolean; readonly retry: boolean }

const ANSWERS = [
  ['RETRY', 'Try again'],
  ['SKIP', 'Skip this step'],
  ['CANCEL', 'Stop here'],
] as const

export function Reply({ thread_id, question, retry }: ReplyProps) {
  const send = useSend(thread_id, () => {})
  return (
    <div className="chat-reply">
      {retry ? (
        <div className="acts" role="group" aria-label="After three failed tries">
          {ANSWERS.map(([message, words]) => (
            <Button key={message} size="small" off={send.isPending} onClick={() => send.mutate({ message })}>
              {words}
            </Button>
          ))}
        </div>
      ) : null}
      <Composer
        label={question ? 'Your answer' : 'Message to the agent'}
        busy={send.isPending}
        error={send.error}
        onSend={(sent, done) => send.mutate(sent, { onSuccess: done })}
      />
    </div>
  )
}
