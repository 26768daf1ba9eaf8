import { useState } from 'react'
import { isAmbiguousText, valueText } from '../../../server/src/kernel/contract/value-text.ts'
import type { ValueSource } from '../../../server/src/kernel/sessions/value-source.ts'
import type { Packet } from '../api/types.ts'
import { count, many } from '../lib/time.ts'
import { Icon } from '../parts/icon.tsx'
import { GateText } from '../parts/gate-text.tsx'
import { Text } from '../parts/text.tsx'
import { argumentsOf, sentenceOf, shownAsFields, valueAt } from './packet-words.ts'
import type { Unfolding } from './use-unfolding.ts'

/** Shorter texts are never folded. */
const LONG = 300

type FieldsProps = {
  readonly packet: Packet
  readonly unfolding: Unfolding
  readonly onSource?: (at: string) => void
}

/** The arguments as fields a person can read: known names first, nothing left out, nothing rendered as markup. */
export function Fields({ packet, unfolding, onSource }: FieldsProps) {
  const args = shownAsFields(packet)
  if (args === undefined)
    return (
      <div className="card-body">
        <pre className="val mono">
          <Text lines>{prettyJson(argumentsOf(packet.proposed_args) ?? packet.proposed_args)}</Text>
        </pre>
      </div>
    )
  // Required fields come first.
  const needed = packet.required_inputs.filter((name) => Object.hasOwn(args, name))
  const names = [...needed, ...Object.keys(args).filter((name) => !needed.includes(name))]
  if (names.length === 0) return <p className="card-body small dim">No inputs.</p>
  const { action, pieces } = sentenceOf(packet)
  const named = pieces.flatMap((piece) =>
    piece.is === 'text' || piece.at === undefined ? [] : [{ ...piece, at: piece.at }],
  )
  return (
    <dl className="fields">
      {names.map((name) => {
        const at = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
        const isHere = (place: { readonly at: string }) => place.at === at || place.at.startsWith(`${at}/`)
        // Everybody has written an empty text.
        const sources = args[name] === '' ? [] : (packet.sources ?? []).filter(isHere)
        const hidden = packet.hidden.filter((place) => place.in === 'proposed_args' && isHere(place))
        const marks = named
          .filter(isHere)
          .flatMap(({ at: place, mark }) => (mark === undefined ? [] : [{ place, mark }]))
        const isCommand = action === 'run_command' && named.some((piece) => piece.at === at)
        const isOutside = sources.some(({ kind }) => kind === 'outside')
        const text = packet.foldable.find((one) => one.at === at)
        return (
          <div key={name} className={isOutside ? 'is-taint' : undefined}>
            <dt>
              <FieldName>{name}</FieldName>
            </dt>
            <dd>
              <Value
                of={args[name]}
                at={at}
                marks={marks}
                lines={isCommand || PROSE.test(name) ? true : 'marked'}
                mono={isCommand}
                fold={
                  text === undefined
                    ? 'never'
                    : { id: text.id, isOpen: unfolding.isOpen(text.id), onFlip: () => unfolding.flip(text.id) }
                }
              />
              {marks
                .filter(({ place }) => !isListItem(args[name], place))
                .map(({ place, mark }) => (
                  <Mark key={place} of={place === at ? mark : `${valueAt(args, place)}: ${mark}`} />
                ))}
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

/** Fields of several lines. In any other one, what looks like the next line is marked. */
const PROSE =
  /(?:^|[_-]|[a-z](?=[A-Z]))(?:body|text|content|message|html|markdown|description|notes?|comment|summary)$/i

/** A recipient that can mislead, with every letter that a plain keyboard does not have. */
const OddLetters = ({ of }: { readonly of: string }) => (
  <>
    {of.split(/([^\x20-\x7e]+)/).map((part, at) =>
      at % 2 === 0 ? (
        part
      ) : (
        <span key={at} className="odd">
          <Text>{part}</Text>
        </span>
      ),
    )}
  </>
)

type PlacedMark = { readonly place: string; readonly mark: string }

const Mark = ({ of }: { readonly of: string }) => (
  <span className="tag ask">
    <Icon name="warn" />
    <Text>{of}</Text>
  </span>
)

const isListItem = (value: unknown, place: string): boolean => isPlainList(value) && /\/\d+$/.test(place)

/** A list of both is shown as JSON. */
const isPlainList = (value: unknown): value is readonly (string | number)[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  ['string', 'number'].some((type) => value.every((one) => typeof one === type))

/** Names that could be mistaken for others are in quotation marks. */
export const FieldName = ({ children }: { readonly children: string }) => (
  <Text>{children.trim() === children && children !== '' ? children : JSON.stringify(children)}</Text>
)

const dedupe = (sources: readonly ValueSource[]): readonly ValueSource[] => [
  ...new Map(sources.map((source) => [`${source.kind} ${source.label}`, source])).values(),
]

/** A value whose origin is unknown has no mark. */
function SourceMark({
  source,
  onSource,
}: {
  readonly source: ValueSource
  readonly onSource?: ((at: string) => void) | undefined
}) {
  if (source.kind === 'outside')
    return (
      <button type="button" className="tag taint" onClick={() => onSource?.(source.at)}>
        <Icon name="outside" />
        <span>
          untrusted source: <GateText>{source.label}</GateText>
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

/** `never`: it is shown whole. Undefined: a long text is folded, and can be unfolded here. */
type Folding = 'never' | { readonly id: string; readonly isOpen: boolean; readonly onFlip: () => void } | undefined

type ValueProps = TextStyle & {
  readonly of: unknown
  readonly at?: string
  /** What can mislead about the values in it. */
  readonly marks?: readonly PlacedMark[]
}
type TextStyle = { readonly lines?: true | 'marked'; readonly mono?: boolean; readonly fold?: Folding }

/** A value of the arguments. No two values look alike, and nothing of a nested one is folded. */
export function Value({ of, at = '', marks = [], ...style }: ValueProps) {
  const marksOn = (index: number) => marks.filter(({ place }) => place === `${at}/${index}`)
  if (typeof of === 'string' && marks.some(({ place }) => place === at))
    return (
      <span className="val">
        <OddLetters of={valueText(of)} />
      </span>
    )
  if (typeof of === 'string') return <ArgumentText text={of} {...style} />
  if (typeof of === 'number' || typeof of === 'boolean' || of === null)
    return <span className="val mono">{String(of)}</span>
  if (isPlainList(of))
    return (
      <ul className="values">
        {of.map((one, index) => (
          <li key={index}>
            <span className={typeof one === 'string' ? 'val' : 'val mono'}>
              {marksOn(index).length > 0 ? <OddLetters of={valueText(one)} /> : <Text>{valueText(one)}</Text>}
            </span>
            {marksOn(index).map(({ mark }) => (
              <Mark key={mark} of={mark} />
            ))}
          </li>
        ))}
      </ul>
    )
  return (
    <span className="val mono">
      <Text lines>{prettyJson(of)}</Text>
    </span>
  )
}

/** Deeper levels are indented no further, or the text would be pushed off the page. */
const DEEPEST = 20
const prettyJson = (value: unknown): string =>
  (typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')).replaceAll(/^ +/gm, (run) =>
    ' '.repeat(Math.min(run.length, DEEPEST)),
  )

function ArgumentText({ text, ...style }: TextStyle & { readonly text: string }) {
  const isAmbiguous = isAmbiguousText(text)
  if (text.length < LONG && isAmbiguous && !/[\r\n]/.test(text))
    return <TextValue text={JSON.stringify(text)} {...style} />
  return (
    <>
      <TextValue text={text} {...style} />
      {isAmbiguous ? <span className="tag line">text</span> : null}
    </>
  )
}

/** A text as it is. Only a long one can be folded. */
export function TextValue({ text, lines = true, mono = false, fold }: TextStyle & { readonly text: string }) {
  const [isOpenHere, setOpenHere] = useState(false)
  if (text === '') return <span className="faint">empty</span>
  const isFoldable = fold !== 'never' && (fold !== undefined || text.length >= LONG)
  const { isOpen, onFlip } =
    typeof fold === 'object' ? fold : { isOpen: isOpenHere, onFlip: () => setOpenHere(!isOpenHere) }
  return (
    <>
      <span className={`val${mono ? ' mono' : ''}${isFoldable ? ' long' : ''}${isFoldable && !isOpen ? ' clip' : ''}`}>
        <Text lines={lines}>{text}</Text>
      </span>
      {isFoldable ? (
        <button
          type="button"
          className="fold"
          aria-expanded={isOpen}
          data-unfold={typeof fold === 'object' ? fold.id : undefined}
          onClick={onFlip}
        >
          <Icon name="open" size="s" />
          {isOpen ? 'Less' : `Show all ${many(text.length, 'character')}`}
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
            <FieldName>{name}</FieldName>
          </dt>
          <dd>
            <Value of={value} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
