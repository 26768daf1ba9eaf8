import { useState } from 'react'
import type { Packet, Source } from '../api/types.ts'
import { count } from '../lib/time.ts'
import { Icon } from '../parts/icon.tsx'
import { GateText } from '../parts/gate-text.tsx'
import { Text } from '../parts/text.tsx'
import { argumentsOf } from './packet-words.ts'

const LONG = 160

/** The arguments as fields a person can read: known names first, nothing left out, nothing rendered as markup. */
export function Fields({ packet, onSource }: { readonly packet: Packet; readonly onSource?: (at: string) => void }) {
  const args = argumentsOf(packet.proposed_args)
  if (args === undefined)
    return (
      <div className="card-body">
        <pre className="val mono">
          <Text lines>{packet.proposed_args}</Text>
        </pre>
      </div>
    )
  // Required fields come first.
  const needed = packet.required_inputs.filter((name) => name in args)
  const names = [...needed, ...Object.keys(args).filter((name) => !needed.includes(name))]
  if (names.length === 0) return <p className="card-body small dim">No inputs.</p>
  return (
    <dl className="fields">
      {names.map((name) => {
        const at = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
        const sources = (packet.sources ?? []).filter((source) => source.at === at || source.at.startsWith(`${at}/`))
        const hidden = packet.hidden.filter(
          (place) => place.in === 'proposed_args' && (place.at === at || place.at.startsWith(`${at}/`)),
        )
        const isOutside = sources.some(({ kind }) => kind === 'outside')
        return (
          <div key={name} className={isOutside ? 'is-taint' : undefined}>
            <dt>
              <Text>{name}</Text>
            </dt>
            <dd>
              <Value of={args[name]} />
              {dedupe(sources).map((source) => (
                <SourceMark key={`${source.kind} ${source.label}`} source={source} onSource={onSource} />
              ))}
              {hidden.map((place) => (
                <span key={place.at} className="tag">
                  <Icon name="lock" />
                  {place.type}, {count(place.length)} characters hidden
                </span>
              ))}
            </dd>
          </div>
        )
      })}
    </dl>
  )
}

const dedupe = (sources: readonly Source[]): readonly Source[] => [
  ...new Map(sources.map((source) => [`${source.kind} ${source.label}`, source])).values(),
]

/** A value whose origin is unknown has no mark. */
function SourceMark({
  source,
  onSource,
}: {
  readonly source: Source
  readonly onSource?: ((at: string) => void) | undefined
}) {
  if (source.kind === 'outside')
    return (
      <button type="button" className="tag taint" onClick={() => onSource?.(source.at)}>
        <Icon name="outside" />
        <span>
          from outside: <GateText>{source.label}</GateText>
        </span>
      </button>
    )
  if (source.kind === 'claimed')
    return (
      <span className="tag line">
        <Icon name="agent" />
        the agent says the user wrote this
      </span>
    )
  const words = {
    user: 'the user wrote this',
    operator: 'from the configuration',
    approved: 'approved before in this session',
    tool: undefined,
  }[source.kind]
  return (
    <span className="tag">
      <Icon name={source.kind === 'user' ? 'person' : source.kind === 'tool' ? 'tool' : 'policy'} />
      {words ?? (
        <>
          from <GateText>{source.label}</GateText>
        </>
      )}
    </span>
  )
}

export function Value({ of }: { readonly of: unknown }) {
  if (typeof of === 'string') return <TextValue text={of} />
  if (typeof of === 'number' || typeof of === 'boolean' || of === null)
    return <span className="val mono">{String(of)}</span>
  // A list of both is shown as JSON, where `"1"` and `1` differ.
  if (Array.isArray(of) && of.length > 0 && ['string', 'number'].some((type) => of.every((one) => typeof one === type)))
    return (
      <ul className="values">
        {of.map((one: string | number, at) => (
          <li key={at}>
            <TextValue text={String(one)} />
          </li>
        ))}
      </ul>
    )
  return <TextValue text={JSON.stringify(of, null, 2) ?? ''} mono />
}

function TextValue({ text, mono = false }: { readonly text: string; readonly mono?: boolean }) {
  const [isWhole, setWhole] = useState(false)
  if (text === '') return <span className="faint">empty</span>
  const isLong = text.length > LONG || text.split('\n').length > 3
  const names = ['val', mono ? 'mono' : '', isLong ? (isWhole ? 'whole' : 'clip') : ''].filter((name) => name !== '')
  return (
    <>
      <span
        className={names.join(' ')}
        {...(isLong && isWhole ? { tabIndex: 0, role: 'group', 'aria-label': 'Whole text' } : {})}
      >
        <Text lines>{text}</Text>
      </span>
      {isLong ? (
        <button type="button" className="fold" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          <Icon name="open" size="s" />
          {isWhole ? 'Less' : `All ${count(text.length)} characters`}
        </button>
      ) : null}
    </>
  )
}

/** The inputs of a call, one row each. */
export function InputFields({ of, className = 'fields' }: { readonly of: object; readonly className?: string }) {
  return (
    <dl className={className}>
      {Object.entries(of).map(([name, value]) => (
        <div key={name}>
          <dt>
            <Text>{name}</Text>
          </dt>
          <dd>
            <Value of={value} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
