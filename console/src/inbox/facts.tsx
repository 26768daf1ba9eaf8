import type { Packet } from '../api/types.ts'
import { Card } from '../parts/card.tsx'
import { Icon } from '../parts/icon.tsx'
import { GateText } from '../parts/gate-text.tsx'

/** The consequences of an approval. If something is not known, the page says so. */
export function Facts({ packet }: { readonly packet: Packet }) {
  const undo = undoOf(packet)
  const readBack = readBackOf(packet)
  return (
    <Card title="If you approve">
      <ul className="facts">
        <li className={undo.is}>
          <Icon name={undo.is === 'yes' ? 'undo' : 'no_undo'} />
          <span>
            <b>{undo.title}</b> <GateText>{undo.says}</GateText>
          </span>
        </li>
        <li className={readBack.is}>
          <Icon name="eye" />
          <span>
            <b>{readBack.title}</b> <GateText>{readBack.says}</GateText>
          </span>
        </li>
        {(packet.facts === undefined ? !packet.check.startsWith('before') : packet.facts.check.is !== 'yes') ? null : (
          <li>
            <Icon name="check" />
            <span>
              <GateText>{packet.facts?.check.says ?? packet.check}</GateText>
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

/** The gate's text, with its first words in bold. */
function factOf(fact: { readonly is: Fact['is']; readonly says: string }): Fact {
  const [, title = fact.says, says = ''] = /^(.+?[.:])\s+(.*)$/s.exec(fact.says) ?? []
  return { is: fact.is, title, says }
}

export function undoOf(packet: Packet): Fact {
  if (packet.facts !== undefined) return factOf(packet.facts.undo)
  const isMissing = packet.missing.some((part) => part.startsWith('no known way to undo it'))
  return isMissing
    ? { is: 'no', title: 'There is no known way to undo it.', says: '' }
    : { is: 'yes', title: 'It can be undone:', says: packet.rollback }
}

function readBackOf(packet: Packet): Fact {
  if (packet.facts !== undefined) return factOf(packet.facts.read_back)
  return packet.missing.includes('result not verified')
    ? { is: 'no', title: 'The result is not verified:', says: 'Sluice relies on the answer of the tool.' }
    : { is: 'yes', title: 'The result is verified:', says: packet.verify }
}
