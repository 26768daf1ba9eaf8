import { Link } from '@tanstack/react-router'
import { useQueries, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { alikeKey, groupSentence, oddOf } from '../../../server/src/contract/alike.ts'
import { ask } from '../api/client.ts'
import { problemOf } from '../api/problem.ts'
import { packetQuery } from '../api/queries.ts'
import type { Decided, Packet } from '../api/types.ts'
import { say } from '../lib/announce.ts'
import { useKeys } from '../lib/keys.ts'
import { many } from '../lib/time.ts'
import { useInert } from '../lib/use-inert.ts'
import { Button } from '../parts/button.tsx'
import { Card } from '../parts/card.tsx'
import { Countdown } from '../parts/countdown.tsx'
import { Icon } from '../parts/icon.tsx'
import { Note } from '../parts/note.tsx'
import { Risk } from '../parts/risk.tsx'
import { Sentence } from '../parts/sentence.tsx'
import { Text } from '../parts/text.tsx'
import { useDecidingOff } from '../shell/use-gate.ts'
import { Bar } from './decision-bar.tsx'
import { Facts } from './facts.tsx'
import { Confirm, useConfirm } from './confirm.tsx'
import { agentName, sentenceOf } from './packet-words.ts'
import { Why } from './why.tsx'

type BatchProps = { readonly packets: readonly Packet[]; readonly onBack: () => void; readonly onDone: () => void }

/**
 * Several calls that are alike in tool, agent, session, reasons and strength. Each is decided and recorded by itself, with the
 * digest that was read here. Unusual ones are not preselected.
 */
export function Batch(props: BatchProps) {
  const [kept] = useState(props.packets)
  const [first] = kept
  return first === undefined ? null : <Group {...props} kept={kept} first={first} />
}

type GroupProps = Omit<BatchProps, 'packets'> & { readonly kept: readonly Packet[]; readonly first: Packet }

function Group({ kept, first, onBack, onDone }: GroupProps) {
  const results = useQueries({
    queries: kept.map(({ approval_id }) => ({ ...packetQuery(approval_id), gcTime: 0 })),
  })
  const read = results.flatMap(({ data }) => (data === undefined ? [] : [data]))
  const key = alikeKey(first)
  const open = read.filter((packet) => packet.state === 'pending' && alikeKey(packet) === key)
  const [flipped, setFlipped] = useState<ReadonlySet<string>>(new Set())
  const [digests, setDigests] = useState<ReadonlyMap<string, string>>(new Map())
  const [refused, setRefused] = useState<readonly string[]>([])
  const [busy, setBusy] = useState<'approve' | 'deny'>()
  const client = useQueryClient()
  const connectionOff = useDecidingOff()
  const inert = useInert(`${first.approval_id} ${read.length}`)
  const confirm = useConfirm(first)
  const unread = open.filter(({ approval_id }) => !digests.has(approval_id))
  if (unread.length > 0)
    setDigests(new Map([...digests, ...unread.map(({ approval_id, digest }) => [approval_id, digest] as const)]))
  const isChosen = (packet: Packet) => (oddOf(packet) === undefined) !== flipped.has(packet.approval_id)
  const chosen = open.filter(isChosen)
  const isOff = connectionOff !== undefined || inert || busy !== undefined || chosen.length === 0
  const isUnconfirmed = isOff || !confirm.isDone
  const together = groupSentence((chosen.length === 0 ? open : chosen).map(sentenceOf))

  const flip = (id: string) => {
    const next = new Set(flipped)
    if (!next.delete(id)) next.add(id)
    setFlipped(next)
  }
  const chooseAll = () =>
    setFlipped(new Set(open.filter((one) => oddOf(one) !== undefined).map((one) => one.approval_id)))
  const decideAll = async (decision: 'approve' | 'deny') => {
    if (isOff) return
    if (decision === 'approve' && !confirm.isDone) return confirm.focus()
    setBusy(decision)
    const failures: string[] = []
    let done = 0
    for (const { approval_id } of chosen) {
      const digest = digests.get(approval_id) ?? ''
      try {
        const proof = decision === 'approve' ? await confirm.proof.give({ approval_id, digest }) : {}
        const json = decision === 'approve' ? { decision, digest, ...proof } : { decision }
        await ask<Decided>(`/v1/approvals/${approval_id}/decide`, { method: 'POST', json })
        done += 1
      } catch (error) {
        if (decision === 'approve' && confirm.needed) confirm.proof.refused(error)
        failures.push(`${approval_id}: ${problemOf(error).title}`)
      }
    }
    await client.invalidateQueries({ queryKey: ['approvals'] })
    setBusy(undefined)
    setRefused(failures)
    say(`${decision === 'approve' ? 'Approved' : 'Denied'} ${many(done, 'call')}.`)
    if (failures.length === 0) onDone()
  }
  useKeys({
    a: () => void decideAll('approve'),
    d: () => void decideAll('deny'),
    x: () => {
      const focused = document.activeElement?.closest<HTMLElement>('[data-pick]')?.dataset['pick']
      if (focused !== undefined) flip(focused)
    },
  })
  return (
    <>
      <div className="packet-scroll">
        <div className="packet-in">
          <div className="packet-top">
            <button type="button" className="btn quiet small phone-only" aria-label="Back to the list" onClick={onBack}>
              <Icon name="back" />
            </button>
            {first.risk === undefined ? null : <Risk of={first.risk.class} long />}
            <span className="tag">
              <Icon name="layers" />
              {many(kept.length, 'call')} alike
            </span>
            <Countdown from={first.created_at} until={Math.min(...kept.map(({ expires_at }) => expires_at))} long />
          </div>
          <h2 className="sentence" tabIndex={-1}>
            {together === undefined ? (
              <>
                {many(kept.length, 'call')} of <Text>{first.skill_id}</Text>
              </>
            ) : (
              <Sentence of={together} />
            )}
          </h2>
          <p className="who">
            <span className="face agent" aria-hidden="true">
              <Icon name="agent" />
            </span>
            <span>
              <b>
                <Text>{agentName(first.asked_by.id)}</Text>
              </b>{' '}
              asks for{' '}
              <b>
                <Text>{first.asked_by.user}</Text>
              </b>
              , all in one session
            </span>
          </p>
          {refused.length === 0 ? null : (
            <Note kind="block" icon="warn" alert>
              <p>
                <b>{many(refused.length, 'call was', 'calls were')} not decided.</b> {refused.join('; ')}
              </p>
            </Note>
          )}
          <div className="cols">
            <div className="col">
              <Card title={`${chosen.length} of ${open.length} chosen`} aside="same tool, agent, session and reasons">
                {chosen.length === open.length ? null : (
                  <Button kind="quiet" size="small" onClick={chooseAll}>
                    Choose all {open.length}
                  </Button>
                )}
                <ul className="picks">
                  {open.map((packet) => (
                    <li key={packet.approval_id} data-pick={packet.approval_id}>
                      <input
                        type="checkbox"
                        id={`pick-${packet.approval_id}`}
                        checked={isChosen(packet)}
                        onChange={() => flip(packet.approval_id)}
                      />
                      <label htmlFor={`pick-${packet.approval_id}`}>
                        <Sentence of={sentenceOf(packet)} />
                        {oddOf(packet) === undefined ? null : (
                          <span className="tag ask">{oddOf(packet)}, not chosen</span>
                        )}
                      </label>
                      <Link to="/approvals/$id" params={{ id: packet.approval_id }} className="small">
                        Read<span className="sr"> {packet.approval_id}</span>
                      </Link>
                    </li>
                  ))}
                </ul>
              </Card>
            </div>
            <div className="col">
              <Why packet={first} title="Why they are held" />
              <Facts packet={first} />
            </div>
          </div>
        </div>
      </div>
      <Bar>
        {confirm.needed ? <Confirm of={confirm} /> : null}
        <p className="decide-says">
          <b>{connectionOff ?? `${chosen.length} of ${open.length} chosen.`}</b>
          <br className="wide" />{' '}
          <span className="faint wide">
            Each is decided and recorded by itself. If one changed, only that one is refused.
          </span>
        </p>
        <Button
          kind="deny"
          keyName="d"
          off={isOff && busy !== 'deny'}
          busy={busy === 'deny'}
          onClick={() => void decideAll('deny')}
        >
          Deny {chosen.length}
        </Button>
        <span className="gap" />
        <Button
          kind="primary"
          className="approve"
          keyName="a"
          off={isUnconfirmed && busy !== 'approve'}
          busy={busy === 'approve'}
          onClick={() => void decideAll('approve')}
        >
          {sentenceOf(first).button} {chosen.length}
        </Button>
      </Bar>
    </>
  )
}
