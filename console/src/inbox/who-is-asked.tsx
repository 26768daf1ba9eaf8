import { tooFewApprovers } from '../../../server/src/kernel/contract/too-few-approvers.ts'
import type { Packet } from '../api/types.ts'
import { shortTime, whenText } from '../lib/time.ts'
import { Note } from '../parts/note.tsx'
import { Text } from '../parts/text.tsx'

/** Who is asked, who has approved, how many are missing, and when others are asked too. */
export function AskedNote({ packet }: { readonly packet: Packet }) {
  const { asked, decisions } = packet
  const tooFew = tooFewApprovers(asked)
  if (packet.state !== 'pending' || (asked.groups.length === 0 && asked.people < 2)) return null
  return (
    <Note icon="people">
      <p>
        <b>
          {asked.people === 1 ? 'One person' : `${asked.people} people`}
          {asked.groups.length === 0 ? '' : ` of ${asked.groups.map(({ name }) => name).join(' or ')}`} must approve;{' '}
          {asked.missing === 1 ? 'one more is needed' : `${asked.missing} more are needed`}.
        </b>{' '}
        {tooFew === undefined ? null : `${tooFew[0]?.toUpperCase()}${tooFew.slice(1)}. `}
        {decisions.map((one) => (
          <span key={`${one.by} ${one.at}`}>
            <Text>{one.user}</Text>
            {one.for === undefined ? null : (
              <>
                {' '}
                (for <Text>{one.for}</Text>)
              </>
            )}{' '}
            approved {whenText(one.at)}
            {one.ended_at === undefined ? '' : '; the key was revoked, so it does not count'}.{' '}
          </span>
        ))}
        {asked.groups.map(({ name, people }) => (
          <span key={name} className="faint">
            {name}: <Text>{people.join(', ')}</Text>.{' '}
          </span>
        ))}
        <Escalation asked={asked} />
      </p>
    </Note>
  )
}

function Escalation({ asked }: Pick<Packet, 'asked'>) {
  const { escalates_to, escalates_at, escalated_at } = asked
  if (escalates_to === undefined) return null
  if (escalated_at !== undefined)
    return <span>{`${escalates_to} has also been asked since ${shortTime(escalated_at)}.`}</span>
  return escalates_at === undefined ? null : (
    <span>{`${escalates_to} will also be asked from ${shortTime(escalates_at)} on.`}</span>
  )
}
