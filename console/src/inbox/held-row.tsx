import { CallerName } from '../parts/caller-name.tsx'
import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import { byArrival, groupSentence } from '../../../server/src/kernel/contract/alike.ts'
import { Countdown } from '../parts/countdown.tsx'
import { Icon } from '../parts/icon.tsx'
import { Risk } from '../parts/risk.tsx'
import { Sentence } from '../parts/sentence.tsx'
import { Text } from '../parts/text.tsx'
import { outsideOf, sentenceOf } from './packet-words.ts'
import type { InboxRow } from './use-inbox.ts'

type HeldRowProps = { readonly row: InboxRow; readonly chosen: boolean }

/** Drawn again only if something that it shows has changed. */
export const HeldRow = memo(Row, (before, after) => before.chosen === after.chosen && isSameRow(before.row, after.row))

const isSameRow = (a: InboxRow, b: InboxRow): boolean =>
  a.id === b.id &&
  a.over === b.over &&
  a.alike.length === b.alike.length &&
  a.alike.every((packet, at) => packet === b.alike[at])

function Row({ row, chosen }: HeldRowProps) {
  const { packet, alike, over, id } = row
  const isGroup = alike.length > 1
  const status = packet.definition?.status
  return (
    <Link
      to={isGroup ? '/batch/$id' : '/approvals/$id'}
      params={{ id }}
      className={over ? 'held over' : 'held'}
      aria-current={chosen ? 'true' : undefined}
      data-row={id}
      activeProps={{}}
    >
      <span className="held-what">
        <Sentence of={groupSentence(byArrival(alike).map(sentenceOf)) ?? sentenceOf(packet)} />
      </span>
      {over ? (
        <span className="left gone">closed</span>
      ) : (
        <Countdown from={packet.created_at} until={packet.expires_at} />
      )}
      <span className="held-meta">
        {packet.risk === undefined ? null : <Risk of={packet.risk.class} />}
        <span>
          <CallerName
            id={packet.node?.context.caller ?? packet.asked_by.id}
            user={packet.node?.context.user ?? packet.asked_by.user}
          />
          {packet.node === undefined ? null : (
            <>
              {' '}
              at <Text>{packet.node.name}</Text>
            </>
          )}
        </span>
        {outsideOf(packet).length > 0 ? (
          <span className="tag taint">
            <Icon name="outside" />
            untrusted value
          </span>
        ) : null}
        {sentenceOf(packet).pieces.some((piece) => piece.is !== 'text' && piece.mark !== undefined) ? (
          <span className="tag ask">
            <Icon name="warn" />
            misleading recipient
          </span>
        ) : null}
        {packet.strength === 'strong' ? (
          <span className="tag">
            <Icon name="hand" />
            strong
          </span>
        ) : null}
        {packet.asked.people > 1 ? (
          <span className="tag">
            <Icon name="people" />
            {packet.asked.approved} of {packet.asked.people} approved
          </span>
        ) : null}
        {isGroup ? (
          <span className="tag">
            <Icon name="layers" />
            {alike.length} similar
          </span>
        ) : null}
        {status === 'new' || status === 'changed' ? (
          <span className="tag ask">
            <Icon name="diff" />
            tool {status === 'new' ? 'is new' : 'changed'}
          </span>
        ) : null}
        {packet.hidden.length > 0 ? (
          <span className="tag">
            <Icon name="lock" />
            hidden text
          </span>
        ) : null}
      </span>
    </Link>
  )
}
