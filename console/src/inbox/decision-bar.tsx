import { useId, useState } from 'react'
import { codeOf, problemOf } from '../api/problem.ts'
import type { Packet } from '../api/types.ts'
import { say, sayApproved } from '../lib/announce.ts'
import { useKeys } from '../lib/keys.ts'
import { Button } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { Text } from '../parts/text.tsx'
import { shownText } from '../lib/visible.ts'
import { Confirm, useConfirm } from './confirm.tsx'
import { Bar, DenyBar } from './deny-bar.tsx'
import { undoOf } from './facts.tsx'
import { cannotRemember, sentenceOf } from './packet-words.ts'
import { RememberDialog } from './remember-dialog.tsx'
import { unfoldedOf } from './use-unfolding.ts'
import { useDecide } from './use-decide.ts'
import { useMe } from './use-me.ts'

type DecisionBarProps = {
  readonly packet: Packet
  /** Texts that nobody has unfolded yet. */
  readonly folded: Packet['foldable']
  /** Why nothing can be decided. */
  readonly off: string | undefined
  readonly inert: boolean
  readonly onEdit: () => void
  readonly onDecided: () => void
  /** The gate refused: the request has to be looked at again. */
  readonly onRefused: () => void
}

/** Codes for a request that was already decided, or whose packet changed. They are shown in the packet, not in the bar. */
const OVERTAKEN = new Set(['approval.changed', 'approval.not_pending', 'approval.expired', 'approval.withdrawn'])

/** Outside of the scrolling area, so that loading content cannot move it. */
export function DecisionBar({ packet, folded, off, inert, onEdit, onDecided, onRefused }: DecisionBarProps) {
  const me = useMe()
  const decide = useDecide(packet.approval_id)
  const confirm = useConfirm(packet)
  const [isDenying, setDenying] = useState(false)
  const [isRemembering, setRemembering] = useState(false)
  const noRemember = useId()

  const isSeveral = packet.asked.people > 1
  const saidYes =
    me !== undefined &&
    packet.decisions.some(({ by, user, ended_at }) => ended_at === undefined && (by === me.id || user === me.user))
  const isGroup = packet.asked.groups.length > 0
  const requester = packet.node?.context.user ?? packet.asked_by.user
  const isOwn = (isSeveral || isGroup) && me !== undefined && requester === me.user
  const isOff = off !== undefined || inert || decide.isPending
  // The arguments of a node's call are not here, and a retry with others would be another call.
  const editOff = isOff || packet.node !== undefined || packet.retries !== undefined
  const mayApprove = off === undefined && !isOwn && !saidYes
  const noYes = isOff || isOwn || saidYes || folded.length > 0
  const rememberOff = cannotRemember(packet)

  const approve = async () => {
    if (noYes || !confirm.isDone) return
    try {
      const proof = await confirm.proof.give()
      const decided = await decide.mutateAsync({
        decision: 'approve',
        digest: packet.digest,
        ...unfoldedOf(packet),
        ...(confirm.needed ? { typed: confirm.typed } : {}),
        ...proof,
      })
      confirm.clear()
      if (decided.state === 'pending') say(`Your approval is recorded. ${stillMissing(decided.asked)}`)
      else sayApproved('Approved.', [packet.call_id])
      onDecided()
    } catch (error) {
      if (OVERTAKEN.has(codeOf(error))) onRefused()
      else confirm.proof.refused(error)
    }
  }
  const deny = async (why: { readonly reason?: string }) => {
    try {
      await decide.mutateAsync({ decision: 'deny', ...why })
      say(why.reason === undefined ? 'Denied.' : 'Denied. The agent is told why.')
      onDecided()
    } catch (error) {
      setDenying(false)
      if (OVERTAKEN.has(codeOf(error))) onRefused()
    }
  }
  const openDeny = () => {
    if (isOff) return
    setDenying(true)
  }
  const openRemember = () => {
    if (!noYes && rememberOff === undefined) setRemembering(true)
  }
  useKeys({
    a: () => {
      if (mayApprove && folded[0] !== undefined) return toFolded(folded[0].id)
      if (noYes || isDenying) return
      if (confirm.needed) confirm.focus()
      else void approve()
    },
    d: openDeny,
    e: () => {
      if (!editOff) onEdit()
    },
    r: openRemember,
    Escape: () => {
      if (!isDenying) return false
      setDenying(false)
      return undefined
    },
  })

  const error = decide.error !== null && !OVERTAKEN.has(codeOf(decide.error)) ? problemOf(decide.error) : undefined
  if (isDenying && off === undefined)
    return (
      <DenyBar off={isOff} busy={decide.isPending} onDeny={(why) => void deny(why)} onBack={() => setDenying(false)} />
    )
  return (
    <Bar>
      {mayApprove && folded[0] !== undefined ? (
        <FoldedNote folded={folded} onShow={toFolded} />
      ) : confirm.needed && mayApprove ? (
        <Confirm of={confirm} />
      ) : (
        <div className="decide-says">
          <Says packet={packet} off={off} isOwn={isOwn} saidYes={saidYes} />
          {off === undefined && rememberOff !== undefined ? (
            <>
              <br className="wide" />
              <span className="faint wide" id={noRemember}>
                {rememberOff}
              </span>
            </>
          ) : null}
        </div>
      )}
      {error === undefined ? null : (
        <p className="hint wrong" role="alert">
          <Icon name="warn" />
          {error.status === 0
            ? 'Sluice did not respond, so it is not known whether your decision was recorded. Check again when it is back.'
            : `Nothing was decided: ${error.detail === '' ? error.title : error.detail}`}
        </p>
      )}
      <Button kind="deny" keyName="d" off={isOff} onClick={openDeny}>
        Deny
      </Button>
      <Button keyName="e" off={editOff} onClick={onEdit}>
        Edit
      </Button>
      {confirm.needed ? null : (
        <Button
          keyName="r"
          off={noYes || rememberOff !== undefined}
          {...(rememberOff === undefined ? {} : { describedBy: noRemember })}
          onClick={openRemember}
        >
          Remember
        </Button>
      )}
      <span className="gap" />
      <Button
        kind="primary"
        className="approve"
        {...(confirm.needed ? {} : { keyName: 'a' })}
        busy={decide.isPending}
        off={!decide.isPending && (noYes || !confirm.isDone)}
        onClick={() => void approve()}
      >
        {isSeveral && packet.asked.approved > 0 ? 'Approve too' : shownText(sentenceOf(packet).button)}
      </Button>
      {isRemembering ? (
        <RememberDialog
          packet={packet}
          off={noYes}
          onClose={() => setRemembering(false)}
          onDecided={() => {
            setRemembering(false)
            onDecided()
          }}
          onRefused={() => {
            setRemembering(false)
            onRefused()
          }}
        />
      ) : null}
    </Bar>
  )
}

type SaysProps = {
  readonly packet: Packet
  readonly off: string | undefined
  readonly isOwn: boolean
  readonly saidYes: boolean
}

/** To its button, which unfolds it where it is: approving takes another press, after reading. */
function toFolded(id: string): void {
  const button = document.querySelector<HTMLElement>(`[data-unfold="${CSS.escape(id)}"]`)
  button?.scrollIntoView({ block: 'center' })
  button?.focus()
}

/** Instead of a confirmation: what has to be read first. */
function FoldedNote({
  folded,
  onShow,
}: {
  readonly folded: Packet['foldable']
  readonly onShow: (id: string) => void
}) {
  const [first] = folded
  return (
    <div className="decide-says">
      <b>Read {folded.length === 1 ? 'the long text' : `${folded.length} long texts`} before you approve: </b>
      {folded.map(({ id, at }, index) => (
        <span key={id}>
          {index === 0 ? '' : ', '}
          <code>
            <Text>{at.slice(1).replaceAll('~1', '/').replaceAll('~0', '~')}</Text>
          </code>
        </span>
      ))}
      .{' '}
      {first === undefined ? null : (
        <button type="button" className="link" onClick={() => onShow(first.id)}>
          Show it
        </button>
      )}
    </div>
  )
}

const stillMissing = ({ missing }: Packet['asked']): string =>
  missing === 1 ? 'One more person must approve.' : `${missing} more people must approve.`

function Says({ packet, off, isOwn, saidYes }: SaysProps) {
  if (off !== undefined) return <b>{off}</b>
  if (saidYes) return <b>You approved. {stillMissing(packet.asked)}</b>
  if (isOwn) return <b>You made this request yourself, so somebody else must approve it.</b>
  return <b>{undoOf(packet).title.replace(/[:.]?$/, '.')}</b>
}
