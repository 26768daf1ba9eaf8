import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { pendingQuery } from '../api/queries.ts'
import type { Packet } from '../api/types.ts'
import { Button } from '../parts/button.tsx'
import { Note } from '../parts/note.tsx'
import { Text } from '../parts/text.tsx'
import { differences, FieldDiff } from './changes.tsx'
import { useMe } from './use-me.ts'

type ChangedProps = {
  readonly before: Packet
  readonly after: Packet
  readonly refused: boolean
  readonly onRead: () => void
}

/** The version that was read on the left, the current one on the right. */
export function ChangedNote({ before, after, refused, onRead }: ChangedProps) {
  const fields = differences(before.proposed_args, after.proposed_args)
  return (
    <Note kind="block" icon="warn" alert>
      <p>
        <b>This changed while you were reading{refused ? ', so your approval was refused' : ''}. Nothing ran.</b>{' '}
        {fields.length === 0
          ? 'The inputs are the same, but the verdict of the gate has changed.'
          : 'Left: the version you saw. Right: what would run now.'}
      </p>
      {fields.length === 0 ? (
        <Reasons before={before} after={after} />
      ) : (
        <div className="card">
          <FieldDiff fields={fields} was="You read" now="It is now" />
        </div>
      )}
      <div className="acts">
        <Button size="small" onClick={onRead}>
          Read the new request
        </Button>
      </div>
    </Note>
  )
}

function Reasons({ before, after }: { readonly before: Packet; readonly after: Packet }) {
  const says = (packet: Packet) => packet.risk_notes.filter(({ effect }) => effect !== 'allow').map((note) => note.says)
  const [was, is] = [says(before).join('\n'), says(after).join('\n')]
  const parts: { at: string; before: string; after: string }[] = []
  if (was !== is) parts.push({ at: '/why it is held', before: was, after: is })
  if (before.rollback !== after.rollback) parts.push({ at: '/undo', before: before.rollback, after: after.rollback })
  if (before.strength !== after.strength)
    parts.push({ at: '/strength', before: before.strength, after: after.strength })
  if (before.definition?.after.hash !== after.definition?.after.hash)
    parts.push({
      at: '/tool',
      before: before.definition?.status ?? 'admitted',
      after: after.definition?.status ?? 'admitted',
    })
  return parts.length === 0 ? null : (
    <div className="card">
      <FieldDiff fields={parts} was="You read" now="It is now" />
    </div>
  )
}

/** A decided request: by whom, and the outcome. */
export function ClosedNote({ packet, lost }: { readonly packet: Packet; readonly lost: boolean }) {
  const me = useMe()
  const { data: pending = [] } = useQuery(pendingQuery)
  const last = packet.decisions.at(-1)
  const isMine = last !== undefined && me !== undefined && last.by === me.id
  const who = isMine ? 'You' : (last?.user ?? 'Somebody')
  const vain = lost ? ' Your decision had no effect.' : ''
  const successor = pending.find(
    ({ call_id, approval_id }) => call_id === packet.call_id && approval_id !== packet.approval_id,
  )
  if (packet.state === 'denied')
    return (
      <Note kind="accent" icon="person" alert={lost}>
        <p>
          <b>
            <Text>{who}</Text> {lost ? 'denied it before you' : 'denied it'}
            {last?.reason === undefined || last.reason === '' ? '.' : ': '}
          </b>
          {last?.reason === undefined || last.reason === '' ? null : (
            <>
              “<Text>{last.reason}</Text>”.
            </>
          )}
          {vain} It did not run{packet.retries === undefined ? '' : ' again'}.
        </p>
      </Note>
    )
  if (packet.state === 'approved' || packet.state === 'consumed')
    return (
      <Note kind="accent" icon="person" alert={lost}>
        <p>
          <b>
            <Text>{who}</Text> {lost ? 'approved it before you.' : 'approved it.'}
          </b>
          {vain}{' '}
          <Link to="/activity/$id" params={{ id: packet.call_id }}>
            See the outcome
          </Link>
        </p>
      </Note>
    )
  if (packet.state === 'edited')
    return (
      <Note kind="accent" icon="edit" alert={lost}>
        <p>
          <b>Somebody edited this request, so it is closed.</b> Nothing ran.{vain}{' '}
          {successor === undefined ? null : (
            <Link to="/approvals/$id" params={{ id: successor.approval_id }}>
              Read the new request
            </Link>
          )}
        </p>
        {successor === undefined ? null : (
          <div className="card">
            <FieldDiff
              fields={differences(packet.proposed_args, successor.proposed_args)}
              was="You read"
              now="It is now"
            />
          </div>
        )}
      </Note>
    )
  if (packet.state === 'expired')
    return (
      <Note icon="clock" alert={lost}>
        <p>
          <b>Nobody decided in time.</b>{' '}
          {packet.retries === undefined ? 'It will not run. The agent may ask again.' : 'It will not run again.'}
        </p>
      </Note>
    )
  if (packet.state === 'stale')
    return (
      <Note kind="ask" icon="diff" alert={lost}>
        <p>
          <b>It was approved, but something changed before it ran,</b> so the gate stopped it. Nothing ran.
        </p>
      </Note>
    )
  return (
    <Note icon="undo" alert={lost}>
      <p>
        {packet.retries === undefined ? (
          <>
            <b>The caller withdrew this request.</b> Nothing ran.
          </>
        ) : (
          <>
            <b>The caller withdrew it, or somebody recorded what happened.</b> It did not run again.
          </>
        )}
        {vain}
      </p>
    </Note>
  )
}
