import { Link } from '@tanstack/react-router'
import type { Packet } from '../api/types.ts'
import { many } from '../lib/time.ts'
import { Card } from '../parts/card.tsx'
import { Fold } from '../parts/fold.tsx'
import { Icon } from '../parts/icon.tsx'
import type { IconName } from '../parts/icon-paths.ts'
import { GateText } from '../parts/gate-text.tsx'
import { Text } from '../parts/text.tsx'
import { reasonsOf } from './packet-words.ts'

const DECIDERS: Readonly<Record<string, { readonly icon: IconName; readonly title: string }>> = {
  approval: { icon: 'hand', title: 'Earlier requests' },
  budget: { icon: 'clock', title: 'Budget' },
  content: { icon: 'person', title: 'What it contains' },
  credential: { icon: 'lock', title: 'Key or login' },
  definition: { icon: 'diff', title: 'Definition of the tool' },
  health: { icon: 'activity', title: 'Health score' },
  integrity: { icon: 'seal', title: 'Integrity of the arguments' },
  packet: { icon: 'lock', title: 'Hidden text' },
  pause: { icon: 'pause', title: 'Pause' },
  policy: { icon: 'policy', title: 'Your rules' },
  provenance: { icon: 'outside', title: 'Source of the request and its values' },
  repetition: { icon: 'undo', title: 'Repetition' },
  retry: { icon: 'undo', title: 'Retry' },
  sandbox: { icon: 'lock', title: 'Which files it accesses' },
  shell: { icon: 'bolt', title: 'What the command does' },
  trap: { icon: 'warn', title: 'Honey tokens and files' },
}

export function Why({ packet, title = 'Why it is held' }: { readonly packet: Packet; readonly title?: string }) {
  const { against, fine } = reasonsOf(packet)
  return (
    <Card title={title} aside={many(groupsOf(against).length, 'reason')}>
      <Reasons of={against} />
      {fine > 0 ? (
        <Fold className="card-foot" label={`${many(fine, 'check')} passed`}>
          <ul className="small dim fine">
            {packet.risk_notes
              .filter(({ effect }) => effect === 'allow')
              .map((note) => (
                <li key={`${note.decider} ${note.rule}`}>
                  <GateText>{note.says}</GateText> <code>{note.rule}</code>
                </li>
              ))}
          </ul>
        </Fold>
      ) : null}
    </Card>
  )
}

/** A rule that applies to several values is one reason. */
function groupsOf(notes: Packet['risk_notes']): readonly Packet['risk_notes'][] {
  return [...Map.groupBy(notes, ({ decider, rule, effect }) => `${decider} ${rule} ${effect}`).values()]
}

/** A rule's own words are quoted: they are the operator's, not ours. */
export function Reasons({ of }: { readonly of: Packet['risk_notes'] }) {
  return (
    <ul className="why">
      {groupsOf(of).map((notes) => {
        const [note] = notes
        if (note === undefined) return null
        const { icon, title } = DECIDERS[note.decider] ?? {
          icon: 'hand' as const,
          title: `The check “${note.decider}”`,
        }
        const isPolicy = note.decider === 'policy'
        const isStrong = note.strength === 'strong'
        const name = note.decider === 'provenance' ? 'is-taint' : note.effect === 'block' ? 'is-block' : undefined
        return (
          <li key={`${note.decider} ${note.rule} ${note.effect}`} className={name}>
            <Icon name={icon} />
            <b>
              {title}
              {isPolicy && isStrong ? ': strong approval' : null}
              {isPolicy && note.strength === 'two_person' ? ': two people' : null}
            </b>
            <span>
              {isPolicy ? '“' : null}
              <GateText>{note.says}</GateText>
              {isPolicy ? '”' : null}
            </span>
            {notes.length > 1 ? (
              <Fold label={many(notes.length - 1, 'more place')}>
                <ul className="small">
                  {notes.slice(1).map(({ says }) => (
                    <li key={says}>
                      <GateText>{says}</GateText>
                    </li>
                  ))}
                </ul>
              </Fold>
            ) : null}
            {isPolicy ? (
              <Link to="/policy" className="rule">
                <Text>{`${note.rule} · ${note.source.split(/[/\\]/).at(-1) ?? ''}`}</Text>
              </Link>
            ) : (
              <span className="rule">
                <Text>{note.rule}</Text>
              </span>
            )}
          </li>
        )
      })}
    </ul>
  )
}
