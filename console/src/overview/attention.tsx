import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { AttentionAnswer } from '../../../server/src/kernel/contract/activity.ts'
import { ask } from '../api/client.ts'
import { problemOf } from '../api/problem.ts'
import { count, many, shortTime, timeLeft, urgency, whenText } from '../lib/time.ts'
import { useNow } from '../lib/use-now.ts'
import { CallerName } from '../parts/caller-name.tsx'
import { GateText } from '../parts/gate-text.tsx'
import { Icon } from '../parts/icon.tsx'
import type { IconName } from '../parts/icon-paths.ts'
import { Sentence } from '../parts/sentence.tsx'
import { Text } from '../parts/text.tsx'
import { RetryServer, stateWord } from '../tools/server-health.tsx'

const LOOK_EVERY_MS = 10_000

type Of<K extends 'requests' | 'servers' | 'unknown' | 'consents' | 'tools'> = {
  readonly of: AttentionAnswer[K]['items'][number]
}

/** What somebody has to do something about, the most urgent first, each with a link to where that is done. */
export function Attention() {
  const { data, error } = useQuery({
    queryKey: ['attention'],
    queryFn: ({ signal }) => ask<AttentionAnswer>('/v1/attention', { signal }),
    // The health of servers, and time, are not part of the stream.
    refetchInterval: LOOK_EVERY_MS,
    staleTime: 0,
  })
  if (data === undefined)
    return error === null ? (
      <section className="card attention-quiet late" aria-label="Needs attention" />
    ) : (
      <section className="card attention-quiet" aria-label="Needs attention" role="alert">
        <Icon name="warn" />
        <b>What needs attention could not be read.</b>
        <span className="dim">{problemOf(error).detail || problemOf(error).title}</span>
      </section>
    )
  const { requests, servers, unknown, consents, tools } = data
  const all = requests.count + servers.count + unknown.count + consents.count + tools.count
  if (all === 0) return <Quiet of={data} />
  return (
    <section className="card attention" aria-labelledby="attention">
      <div className="attention-head">
        <h2 id="attention">Needs attention</h2>
        <span className="count">{count(all)}</span>
        <span className="grow" />
        <span className="faint tiny">
          {requests.pending === 0 ? (
            'most urgent first'
          ) : (
            <Link to="/">{many(requests.pending, 'pending request')}</Link>
          )}
        </span>
      </div>
      <ul>
        {requests.items.map((one) => (
          <Request key={one.approval_id} of={one} />
        ))}
        <More of={requests} says="more requests expire soon" to="/" />
        {servers.items.map((one) => (
          <Server key={one.server} of={one} />
        ))}
        <More of={servers} says="more servers cannot be called" to="/tools" />
        {unknown.items.map((one) => (
          <Unknown key={one.call_id} of={one} />
        ))}
        <More of={unknown} says="more calls have an unknown outcome" to="/activity" search={{ state: 'unknown' }} />
        {consents.items.map((one) => (
          <Consent key={one.consent_id} of={one} />
        ))}
        <More of={consents} says="more consents end soon" to="/consents" />
        {tools.items.map((one) => (
          <Tool key={one.tool_id} of={one} />
        ))}
        <More of={tools} says="more tools need to be admitted" to="/tools" />
      </ul>
    </section>
  )
}

function Quiet({ of: { servers, requests } }: { readonly of: AttentionAnswer }) {
  return (
    <section className="card attention-quiet" aria-label="Needs attention">
      <Icon name="check" />
      <b>Nothing needs attention</b>
      <span className="dim">
        {servers.all === 0 ? 'no tool servers yet' : `${servers.all} of ${many(servers.all, 'server')} ready`} ·{' '}
        {requests.pending === 0 ? (
          'no pending requests'
        ) : (
          <Link to="/">{many(requests.pending, 'pending request')}</Link>
        )}{' '}
        · no unknown outcomes
      </span>
    </section>
  )
}

type RowProps = {
  readonly icon: IconName
  readonly look?: 'now' | 'soon' | 'down'
  readonly title: ReactNode
  readonly acts: ReactNode
  readonly children: ReactNode
}

function Row({ icon, look, title, acts, children }: RowProps) {
  return (
    <li className={look}>
      <Icon name={icon} />
      <div>
        <b>{title}</b>
        <p className="small dim">{children}</p>
      </div>
      <div className="acts">{acts}</div>
    </li>
  )
}

function Request({ of: { approval_id, sentence, asked_by, expires_at } }: Of<'requests'>) {
  const left = expires_at - useNow()
  return (
    <Row
      icon="clock"
      look={urgency(left) === 'now' ? 'now' : 'soon'}
      title={
        <>
          <Sentence of={sentence} /> <span className="nowrap">expires in {timeLeft(left)}</span>
        </>
      }
      acts={
        <Link to="/approvals/$id" params={{ id: approval_id }} className="btn small">
          Read and decide
        </Link>
      }
    >
      <CallerName id={asked_by.id} user={asked_by.user} />. If nobody decides, it does not run.
    </Row>
  )
}

function Server({ of }: Of<'servers'>) {
  const { server, state, tools, since, failures, last_failure, last_line } = of
  return (
    <Row
      icon="server"
      look="down"
      title={
        <>
          <code>
            <Text>{server}</Text>
          </code>{' '}
          {state === 'needs_login' ? 'needs a login' : `is ${stateWord(of)}`}
          {tools === 0 ? '' : `: its ${many(tools, 'tool')} cannot be called`}
        </>
      }
      acts={
        <>
          <Link to="/tools" className="btn small">
            Show
          </Link>
          {state === 'needs_login' ? null : <RetryServer server={server} />}
        </>
      }
    >
      Since {shortTime(since)}
      {failures === 0 ? '' : `, ${many(failures, 'attempt')} failed`}.{' '}
      {last_failure === undefined ? null : (
        <>
          Reason: <GateText>{last_failure}</GateText>.{' '}
        </>
      )}
      {last_line === undefined ? null : (
        <>
          Last line: “<Text>{last_line}</Text>”
        </>
      )}
    </Row>
  )
}

function Unknown({ of: { call_id, sentence, asked_by, received_at, problem } }: Of<'unknown'>) {
  return (
    <Row
      icon="unknown"
      title={
        <>
          It is not known whether this ran: <Sentence of={sentence} />
        </>
      }
      acts={
        <Link to="/activity/$id" params={{ id: call_id }} className="btn small">
          Settle
        </Link>
      }
    >
      <CallerName id={asked_by.id} user={asked_by.user} />, {shortTime(received_at)}
      {problem === undefined ? null : (
        <>
          : <GateText>{problem.says}</GateText>
        </>
      )}
      . It does not run again until a person settles it.
    </Row>
  )
}

function Consent({ of: { actor, tool, expires_at, calls, calls_left } }: Of<'consents'>) {
  return (
    <Row
      icon="consent"
      title={
        <>
          A consent ends {whenText(expires_at)}
          {calls_left === 0 ? '' : ` or after ${many(calls_left, 'more call')}`}
        </>
      }
      acts={
        <Link to="/consents" className="btn small">
          Show
        </Link>
      }
    >
      <Text>{actor.replace(/^(?:caller|user):(?:agent:)?/, '')}</Text> may use{' '}
      <code>
        <Text>{tool}</Text>
      </code>
      . {count(calls - calls_left)} of {many(calls, 'call')} used it. After that, such calls are held again.
    </Row>
  )
}

function Tool({ of: { tool_id, is } }: Of<'tools'>) {
  return (
    <Row
      icon="diff"
      title={
        <>
          <code>
            <Text>{tool_id}</Text>
          </code>{' '}
          {is === 'new' ? 'is new' : 'has a new definition'}: its calls are held
        </>
      }
      acts={
        <Link to="/tools" search={{ tool: tool_id }} className="btn small">
          Review
        </Link>
      }
    >
      An admin has to admit it.
    </Row>
  )
}

type MoreProps = {
  readonly of: { readonly count: number; readonly items: readonly unknown[] }
  readonly says: string
  readonly to: '/' | '/tools' | '/activity' | '/consents'
  readonly search?: Readonly<Record<string, string>>
}

function More({ of, says, to, search = {} }: MoreProps) {
  const left = of.count - of.items.length
  if (left < 1) return null
  return (
    <li className="more-of">
      <Link to={to} search={search}>
        {count(left)} {says}
      </Link>
    </li>
  )
}
