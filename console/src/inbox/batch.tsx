import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { alikeKey, byArrival, groupSentence, oddOf } from '../../../server/src/kernel/contract/alike.ts'
import { confirmOf, isTyped } from '../../../server/src/kernel/contract/confirm.ts'
import { gate } from '../api/client.ts'
import { problemOf } from '../api/problem.ts'
import { packetQuery, pendingQuery } from '../api/queries.ts'
import type { Packet } from '../api/types.ts'
import { say, sayApproved } from '../lib/announce.ts'
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
import { BatchRows, compared } from './batch-rows.tsx'
import { approvalChallenge } from './confirm.tsx'
import { Bar, DenyBar } from './deny-bar.tsx'
import { Facts } from './facts.tsx'
import { InputFields } from './fields.tsx'
import { agentName, sentenceOf } from './packet-words.ts'
import { ProofField, useProof } from './proof.tsx'
import { Why } from './why.tsx'

type BatchProps = { readonly packets: readonly Packet[]; readonly onBack: () => void; readonly onDone: () => void }

/**
 * Several calls that are alike in tool, agent, session, reasons and strength. Each is decided and recorded by itself, with the
 * digest that was read here, so a request that comes later is not among them. Unusual ones are not preselected; of strong ones, only
 * those are approved for which the person typed what each is about.
 */
export function Batch(props: BatchProps) {
  const [kept] = useState(() => byArrival(props.packets))
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
  const { data: pending = [] } = useQuery(pendingQuery)
  const known = new Set(kept.map(({ approval_id }) => approval_id))
  const later = pending.filter((packet) => !known.has(packet.approval_id) && alikeKey(packet) === key).length
  const isStrong = first.strength !== 'simple'
  const [flipped, setFlipped] = useState<ReadonlySet<string>>(new Set())
  const [typed, setTyped] = useState<ReadonlyMap<string, string>>(new Map())
  const [digests, setDigests] = useState<ReadonlyMap<string, string>>(new Map())
  const [refused, setRefused] = useState<readonly string[]>([])
  const [busy, setBusy] = useState<'approve' | 'deny'>()
  const [denying, setDenying] = useState<readonly Packet[]>()
  const client = useQueryClient()
  const connectionOff = useDecidingOff()
  const inert = useInert(`${first.approval_id} ${read.length}`)
  const proof = useProof({
    wanted: isStrong,
    always: first.risk_notes.some((note) => note.proof === 'passphrase' && note.effect !== 'allow'),
    challenge: (of) => approvalChallenge(of ?? first),
  })
  const unread = open.filter(({ approval_id }) => !digests.has(approval_id))
  if (unread.length > 0)
    setDigests(new Map([...digests, ...unread.map(({ approval_id, digest }) => [approval_id, digest] as const)]))
  const isChosen = (packet: Packet) =>
    isStrong
      ? isTyped(confirmOf(packet), typed.get(packet.approval_id))
      : (oddOf(packet) === undefined) !== flipped.has(packet.approval_id)
  const chosen = open.filter(isChosen)
  const isOff = connectionOff !== undefined || inert || busy !== undefined
  const isApproveOff = isOff || chosen.length === 0 || !proof.isReady
  const together = groupSentence((isStrong || chosen.length === 0 ? open : chosen).map(sentenceOf))
  const { same } = compared(open)

  const flip = (id: string) => {
    const next = new Set(flipped)
    if (!next.delete(id)) next.add(id)
    setFlipped(next)
  }
  const chooseAll = () =>
    setFlipped(new Set(open.filter((one) => oddOf(one) !== undefined).map((one) => one.approval_id)))
  const focusNext = () => {
    const next = open.find((packet) => !isChosen(packet))
    const id = next === undefined ? 'batch-passphrase' : `typed-${next.approval_id}`
    document.getElementById(id)?.focus()
  }
  const decideEach = async (packets: readonly Packet[], decision: Decision) => {
    setBusy(decision.decision)
    const failures: string[] = []
    const done: Packet[] = []
    for (const packet of packets) {
      const { approval_id } = packet
      const digest = digests.get(approval_id) ?? ''
      try {
        const body =
          decision.decision === 'deny'
            ? decision
            : {
                ...decision,
                digest,
                ...(isStrong ? { typed: typed.get(approval_id) ?? '' } : {}),
                ...(await proof.give({ approval_id, digest })),
              }
        await gate.ask('POST /v1/approvals/{approval_id}/decide', { path: { approval_id }, body })
        done.push(packet)
      } catch (error) {
        if (decision.decision === 'approve' && isStrong) proof.refused(error)
        failures.push(`${open.indexOf(packet) + 1}: ${problemOf(error).title}`)
      }
    }
    await client.invalidateQueries({ queryKey: ['approvals'] })
    setBusy(undefined)
    setDenying(undefined)
    setRefused(failures)
    const says = `${decision.decision === 'approve' ? 'Approved' : 'Denied'} ${many(done.length, 'call')}.`
    if (done.length > 0 && decision.decision === 'deny') say(says)
    else if (done.length > 0)
      sayApproved(
        says,
        done.map(({ call_id }) => call_id),
      )
    if (failures.length === 0 && done.length === open.length) onDone()
  }
  const approve = () => {
    if (isApproveOff) return isStrong ? focusNext() : undefined
    return void decideEach(chosen, { decision: 'approve' })
  }
  const openDeny = (packets: readonly Packet[]) => {
    if (!isOff && packets.length > 0) setDenying(packets)
  }
  const denied = isStrong ? open : chosen
  useKeys({
    // Of strong requests, a key never approves.
    a: () => (denying === undefined ? (isStrong ? focusNext() : approve()) : undefined),
    d: () => openDeny(denied),
    x: () => {
      const focused = document.activeElement?.closest<HTMLElement>('[data-pick]')?.dataset['pick']
      if (focused !== undefined && !isStrong) flip(focused)
    },
    Escape: () => {
      if (denying === undefined) return false
      setDenying(undefined)
      return undefined
    },
  })
  const numbers = chosen.map((packet) => open.indexOf(packet) + 1)
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
              {many(kept.length, 'similar request')}
            </span>
            {isStrong ? (
              <span className="tag">
                <Icon name="hand" />
                type to approve
              </span>
            ) : null}
            <Countdown from={first.created_at} until={Math.min(...kept.map(({ expires_at }) => expires_at))} long />
          </div>
          <h2 className="sentence" tabIndex={-1}>
            <Sentence of={together ?? sentenceOf(chosen[0] ?? open[0] ?? first)} />
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
                <b>{many(refused.length, 'request was', 'requests were')} not decided.</b> {refused.join('; ')}
              </p>
            </Note>
          )}
          {later === 0 ? null : (
            <Note icon="layers">
              <p>
                {many(later, 'similar request')} arrived since. Your decision does not include{' '}
                {later === 1 ? 'it' : 'them'}.
              </p>
            </Note>
          )}
          <Card
            title={isStrong ? 'What differs' : `${chosen.length} of ${open.length} selected`}
            aside="same tool, agent, session and reasons"
          >
            {isStrong || chosen.length === open.length ? null : (
              <Button kind="quiet" size="small" onClick={chooseAll}>
                Select all {open.length}
              </Button>
            )}
            <BatchRows
              packets={open}
              typed={isStrong ? typed : undefined}
              onTyped={(id, text) => setTyped(new Map([...typed, [id, text]]))}
              isChosen={isChosen}
              onChoose={flip}
              onDeny={(packet) => openDeny([packet])}
              off={isOff}
            />
          </Card>
          <div className="cols">
            <div className="col">
              {Object.keys(same).length === 0 ? null : (
                <Card title={`The same in all ${open.length}`}>
                  <InputFields of={same} />
                </Card>
              )}
            </div>
            <div className="col">
              <Why packet={first} title="Why they are held" />
              <Facts packet={first} />
            </div>
          </div>
        </div>
      </div>
      {denying !== undefined ? (
        <DenyBar
          says={
            denying.length === 1
              ? `Deny request ${open.indexOf(denying[0] ?? first) + 1}.`
              : `Deny ${many(denying.length, 'request')}.`
          }
          off={isOff}
          busy={busy === 'deny'}
          onDeny={(why) => void decideEach(denying, { decision: 'deny', ...why })}
          onBack={() => setDenying(undefined)}
        />
      ) : (
        <Bar>
          {proof.by === 'nothing' ? null : <ProofField of={proof} id="batch-passphrase" />}
          <p className="decide-says">
            <b>
              {connectionOff ??
                (isStrong
                  ? `${chosen.length} of ${open.length} typed.${chosen.length === open.length ? '' : ' The others stay pending.'}`
                  : `${chosen.length} of ${open.length} selected.`)}
            </b>
            <br className="wide" />{' '}
            <span className="faint wide">
              Each request is decided and recorded separately. If one has changed, only that one is refused.
            </span>
          </p>
          <Button kind="deny" keyName="d" off={isOff || denied.length === 0} onClick={() => openDeny(denied)}>
            {denied.length === open.length ? 'Deny all' : 'Deny'} {denied.length} …
          </Button>
          <span className="gap" />
          <Button
            kind="primary"
            className="approve"
            keyName="a"
            off={isApproveOff && busy !== 'approve'}
            busy={busy === 'approve'}
            onClick={approve}
          >
            {sentenceOf(first).action === 'pay' ? 'Approve and pay' : sentenceOf(first).button}{' '}
            {isStrong ? listed(numbers) : chosen.length}
          </Button>
        </Bar>
      )}
    </>
  )
}

type Decision = { readonly decision: 'approve' } | { readonly decision: 'deny'; readonly reason?: string }

/** `1, 2 and 4` */
const listed = (numbers: readonly number[]): string =>
  numbers.length < 2 ? numbers.join('') : `${numbers.slice(0, -1).join(', ')} and ${numbers.at(-1) ?? ''}`
