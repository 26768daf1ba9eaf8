import type { Packet } from '../api/types.ts'
import { Card } from '../parts/card.tsx'
import { Icon } from '../parts/icon.tsx'
import { Text } from '../parts/text.tsx'

/** What follows an approval. What is not known is said, not left out. */
export function Facts({ packet }: { readonly packet: Packet }) {
  const undo = undoOf(packet)
  const readBack = readBackOf(packet)
  return (
    <Card title="If you approve">
      <ul className="facts">
        <li className={undo.is}>
          <Icon name={undo.is === 'yes' ? 'undo' : 'no_undo'} />
          <span>
            <b>{undo.title}</b> <Text>{undo.says}</Text>
          </span>
        </li>
        <li className={readBack.is}>
          <Icon name="eye" />
          <span>
            <b>{readBack.title}</b> <Text>{readBack.says}</Text>
          </span>
        </li>
        {(packet.facts === undefined ? !packet.check.startsWith('before') : packet.facts.check.is !== 'yes') ? null : (
          <li>
            <Icon name="check" />
            <span>
              <b>It is checked first.</b> <Text>{packet.facts?.check.says ?? packet.check}</Text>
            </span>
          </li>
        )}
        <li>
          <Icon name="bolt" />
          <span>It runs once, with exactly these values.</span>
        </li>
      </ul>
    </Card>
  )
}

type Fact = { readonly is: 'yes' | 'no' | 'unknown'; readonly title: string; readonly says: string }

export function undoOf(packet: Packet): Fact {
  const is = packet.facts?.undo.is ?? (packet.missing.some((part) => part.startsWith('no rollback')) ? 'no' : 'yes')
  const says = packet.facts?.undo.says ?? packet.rollback
  if (is === 'yes') return { is, title: 'It can be undone:', says }
  const isSaid = says === '' || says.startsWith('no rollback')
  return { is, title: 'No undo is known.', says: isSaid ? '' : says }
}

function readBackOf(packet: Packet): Fact {
  const is = packet.facts?.read_back.is ?? (packet.missing.includes('no read-back') ? 'no' : 'yes')
  const says = packet.facts?.read_back.says ?? packet.verify
  return {
    is,
    title: is === 'yes' ? 'It is read back:' : 'It is not read back.',
    says: is === 'yes' ? says : 'The gate will know only what the tool says.',
  }
}
