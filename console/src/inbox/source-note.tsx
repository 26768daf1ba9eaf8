import type { Packet } from '../api/types.ts'
import { shortTime } from '../lib/time.ts'
import { Button } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { Note } from '../parts/note.tsx'
import { GateText } from '../parts/gate-text.tsx'
import { Text } from '../parts/text.tsx'
import { argumentsOf, outsideOf, valueAt } from './packet-words.ts'

type SourceNoteProps = {
  readonly packet: Packet
  readonly open: boolean
  readonly onToggle: () => void
  readonly onEdit: () => void
}

/** Which values came from outside, and where they were read. */
export function SourceNote({ packet, open, onToggle, onEdit }: SourceNoteProps) {
  const outside = outsideOf(packet)
  if (outside.length === 0) return null
  return (
    <Note kind="taint" icon="outside">
      <div>
        {outside.map((source) => (
          <p key={`${source.at} ${source.label}`}>
            <b>
              The user did not write <Text>{valueAt(argumentsOf(packet.proposed_args), source.at)}</Text>.
            </b>{' '}
            The agent read it in <GateText>{source.label}</GateText>, where outsiders can write.
          </p>
        ))}
      </div>
      <div className="acts">
        <Button size="small" onClick={onToggle} pressed={open}>
          <Icon name="open" size="s" />
          Show where
        </Button>
        <Button size="small" onClick={onEdit}>
          <Icon name="edit" size="s" />
          Edit
        </Button>
      </div>
      {open ? (
        <div className="quotes">
          {outside.map((source) => (
            <figure key={`${source.at} ${source.label}`} className="quote">
              <figcaption>
                <b>
                  <GateText>{source.label}</GateText>
                </b>
                {source.time === undefined ? null : <span>{shortTime(source.time)}</span>}
                {source.where?.path === undefined ? null : <code>{source.where.path}</code>}
              </figcaption>
              {source.excerpt === undefined ? (
                <span className="faint">The text around it was not stored.</span>
              ) : (
                <Marked text={source.excerpt} value={valueAt(argumentsOf(packet.proposed_args), source.at)} />
              )}
            </figure>
          ))}
        </div>
      ) : null}
    </Note>
  )
}

function Marked({ text, value }: { readonly text: string; readonly value: string }) {
  const at = value === '' ? -1 : text.indexOf(value)
  if (at === -1) return <Text lines>{text}</Text>
  return (
    <>
      <Text lines>{text.slice(0, at)}</Text>
      <mark>
        <Text>{value}</Text>
      </mark>
      <Text lines>{text.slice(at + value.length)}</Text>
    </>
  )
}
