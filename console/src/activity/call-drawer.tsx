import { CallerName } from '../parts/caller-name.tsx'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { CallLife, CallMoment } from '../../../server/src/kernel/contract/activity.ts'
import { askProven } from '../api/ask-proven.ts'
import { problemOf } from '../api/problem.ts'
import { InputFields, TextValue, Value } from '../inbox/fields.tsx'
import { argumentsOf } from '../inbox/packet-words.ts'
import { Reasons } from '../inbox/why.tsx'
import { say } from '../lib/announce.ts'
import { useMay, whoMay } from '../lib/may.ts'
import { clockTime, count, exactTime, many } from '../lib/time.ts'
import { Button } from '../parts/button.tsx'
import { Fold } from '../parts/fold.tsx'
import { Icon } from '../parts/icon.tsx'
import type { IconName } from '../parts/icon-paths.ts'
import { Note } from '../parts/note.tsx'
import { Risk } from '../parts/risk.tsx'
import { GateText } from '../parts/gate-text.tsx'
import { agentName } from '../inbox/packet-words.ts'
import { Sentence } from '../parts/sentence.tsx'
import { Failed, Skeleton } from '../parts/states.tsx'
import { Text } from '../parts/text.tsx'
import { Verdict } from '../parts/verdict.tsx'
import { callQuery } from './calls-query.ts'

const MOMENTS: Readonly<
  Record<CallMoment['is'], { readonly icon: IconName; readonly title: string; readonly kind: string }>
> = {
  asked: { icon: 'agent', title: 'Asked', kind: '' },
  judged: { icon: 'policy', title: 'Judged', kind: '' },
  held: { icon: 'hand', title: 'Held for approval', kind: 'ask' },
  edited: { icon: 'edit', title: 'Edited', kind: '' },
  seconded: { icon: 'people', title: 'One of two people approved', kind: 'ask' },
  approved: { icon: 'person', title: 'Approved', kind: 'allow' },
  denied: { icon: 'cross', title: 'Denied', kind: 'block' },
  expired: { icon: 'clock', title: 'Expired', kind: '' },
  withdrawn: { icon: 'undo', title: 'Withdrawn', kind: '' },
  stale: { icon: 'diff', title: 'Stopped: something changed', kind: 'ask' },
  consumed: { icon: 'policy', title: 'Judged again', kind: 'allow' },
  started: { icon: 'bolt', title: 'Started', kind: '' },
  checked: { icon: 'check', title: 'Checked before it ran', kind: '' },
  ended: { icon: 'bolt', title: 'Finished', kind: 'allow' },
  read_back: { icon: 'eye', title: 'Result checked', kind: 'allow' },
  settled: { icon: 'person', title: 'Settled', kind: '' },
  erased: { icon: 'lock', title: 'Contents deleted', kind: '' },
}

/** The history of one call. */
export function CallDrawer({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const query = useQuery(callQuery(id))
  return (
    <aside className="drawer" aria-label="Call">
      <div className="drawer-top">
        {query.data === undefined ? null : <Verdict of={query.data} />}
        <span className="grow" />
        <Button kind="quiet" size="small" onClick={() => void copyLink(id)}>
          <Icon name="link" />
          Copy link
        </Button>
        <Button kind="quiet" size="small" label="Close" onClick={onClose}>
          <Icon name="cross" />
        </Button>
      </div>
      {query.isError ? (
        <Failed error={query.error} onRetry={() => void query.refetch()} />
      ) : query.data === undefined ? (
        <Skeleton rows={3} />
      ) : (
        <Life call={query.data} />
      )}
    </aside>
  )
}

async function copyLink(id: string): Promise<void> {
  const link = `${location.origin}/#/activity/${id}`
  try {
    await navigator.clipboard.writeText(link)
    say('The link is copied.')
  } catch {
    say('The link could not be copied; it is in the address bar.')
  }
}

function Life({ call }: { readonly call: CallLife }) {
  const args = call.arguments === undefined ? undefined : argumentsOf(call.arguments)
  return (
    <div className="drawer-body">
      <h2 className="drawer-what">
        <Sentence of={call.sentence} />
      </h2>
      <p className="small dim">
        <CallerName id={call.asked_by.id} user={call.asked_by.user} /> · <code>{call.tool_id}</code> ·{' '}
        <Risk of={call.risk.class} long />
      </p>
      {call.state === 'pending' && call.approval_id !== undefined ? (
        <Note kind="ask" icon="clock" small>
          <p>
            <b>It is waiting for approval.</b>{' '}
            <Link to="/approvals/$id" params={{ id: call.approval_id }}>
              Read and decide
            </Link>
          </p>
        </Note>
      ) : null}
      {call.state === 'unknown' ? <Settle call={call} /> : null}
      {call.problem === undefined ? null : (
        <Note kind="block" icon="warn" small>
          <p>
            <GateText>{call.problem.says}</GateText> <code>{call.problem.code}</code>
          </p>
        </Note>
      )}
      <ol className="moments">
        {call.moments.map((moment, at) => (
          <Moment key={at} moment={moment} ran={call.state === 'executed'} />
        ))}
      </ol>
      <Fold label="Inputs">
        {args === undefined ? (
          <p className="small dim">The inputs are no longer stored.</p>
        ) : (
          <InputFields of={args} className="fields card" />
        )}
      </Fold>
      <Fold label={many(call.verdict.evidence.length, 'check result')}>
        <div className="card">
          <Reasons of={[...call.verdict.evidence]} />
        </div>
      </Fold>
      {call.result === undefined ? null : (
        <Fold
          label={`What the tool answered${call.output === undefined ? '' : `, ${count(call.output.size_chars)} characters`}`}
        >
          {call.result.content.map((part, at) => (
            <p key={at} className="answer">
              {typeof part['text'] === 'string' ? <TextValue text={part['text']} /> : <Value of={part} />}
            </p>
          ))}
        </Fold>
      )}
      <p className="tiny faint ids">
        {call.call_id} · policy {call.policy_version.slice(0, 8)} · arguments {call.args_hash.slice(0, 8)} · trace{' '}
        {call.trace}
      </p>
    </div>
  )
}

function Moment({ moment, ran }: { readonly moment: CallMoment; readonly ran: boolean }) {
  const { icon, title, kind } = MOMENTS[moment.is]
  return (
    <li>
      <span className={`moment-icon ${moment.is === 'ended' && !ran ? '' : kind}`}>
        <Icon name={icon} size="s" />
      </span>
      <b>
        {title}
        {moment.by === undefined ? null : (
          <>
            {' '}
            by <Text>{agentName(moment.by)}</Text>
          </>
        )}
      </b>
      <time className="tiny faint" dateTime={new Date(moment.at).toISOString()} title={exactTime(moment.at)}>
        {clockTime(moment.at)}
      </time>
      <span className="small dim">
        <GateText>{moment.says}</GateText>
      </span>
    </li>
  )
}

const CHOICES = [
  ['done', 'It ran'],
  ['failed', 'It did not run'],
  ['retry', 'Retry'],
] as const

/** It is not known whether the call ran: a person checks and settles it. */
function Settle({ call }: { readonly call: CallLife }) {
  const maySettle = useMay('decide')
  const client = useQueryClient()
  const settle = useMutation({
    mutationFn: (as: string) => askProven(`/v1/calls/${call.call_id}/resume`, { method: 'POST', json: { as } }),
    onSuccess: (_answer, as) => {
      say(as === 'retry' ? 'Retry requested.' : 'Settled.')
      void client.invalidateQueries({ queryKey: ['calls'] })
    },
  })
  return (
    <Note kind="ask" icon="unknown">
      <p>
        <b>It is not known whether this ran.</b>{' '}
        {maySettle
          ? 'Check the other system first, then record what happened.'
          : `It does not run again until ${whoMay('decide')} has recorded what happened.`}
      </p>
      {call.choices?.includes('retry') === false && call.approval_id !== undefined ? (
        <p>
          <b>A retry waits for approval.</b>{' '}
          <Link to="/approvals/$id" params={{ id: call.approval_id }}>
            Read and decide
          </Link>
        </p>
      ) : null}
      {maySettle ? (
        <div className="acts">
          {CHOICES.filter(([as]) => call.choices === undefined || call.choices.includes(as)).map(([as, words]) => (
            <Button
              key={as}
              size="small"
              busy={settle.isPending && settle.variables === as}
              onClick={() => settle.mutate(as)}
            >
              {words}
            </Button>
          ))}
        </div>
      ) : null}
      {settle.error === null ? null : (
        <p className="hint wrong" role="alert">
          It was not settled: {problemOf(settle.error).title}
        </p>
      )}
    </Note>
  )
}
