import { Link } from '@tanstack/react-router'
import { oddOf } from '../../../server/src/kernel/contract/alike.ts'
import { confirmOf, confirmWords, isBeingTyped, isTyped } from '../../../server/src/kernel/contract/confirm.ts'
import type { Packet } from '../api/types.ts'
import { Button } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { Sentence } from '../parts/sentence.tsx'
import { Text } from '../parts/text.tsx'
import { Value } from './fields.tsx'
import { argumentsOf, sentenceOf } from './packet-words.ts'

type RowsProps = {
  readonly packets: readonly Packet[]
  /** Undefined for simple requests, which are chosen and not typed. */
  readonly typed: ReadonlyMap<string, string> | undefined
  readonly onTyped: (id: string, text: string) => void
  readonly isChosen: (packet: Packet) => boolean
  readonly onChoose: (id: string) => void
  readonly onDeny: (packet: Packet) => void
  readonly off: boolean
}

/** One request per row, each with what it does not have in common with all others. */
export function BatchRows({ packets, typed, onTyped, isChosen, onChoose, onDeny, off }: RowsProps) {
  const { differing } = compared(packets)
  const others = packets.flatMap((packet) => confirmOf(packet).words)
  return (
    <ol className="batch-rows">
      {packets.map((packet, at) => (
        <li
          key={packet.approval_id}
          data-pick={packet.approval_id}
          className={oddOf(packet) === undefined ? undefined : 'is-odd'}
        >
          <div className="batch-head">
            {typed === undefined ? (
              <input
                type="checkbox"
                id={`pick-${packet.approval_id}`}
                checked={isChosen(packet)}
                onChange={() => onChoose(packet.approval_id)}
              />
            ) : (
              <span className="n num">{at + 1}</span>
            )}
            <label className="batch-what" htmlFor={`${typed === undefined ? 'pick' : 'typed'}-${packet.approval_id}`}>
              <Sentence of={sentenceOf(packet)} />
            </label>
            {oddOf(packet) === undefined ? null : (
              <span className="tag ask">
                {oddOf(packet)}
                {typed === undefined ? ', not selected' : null}
              </span>
            )}
            <Link to="/approvals/$id" params={{ id: packet.approval_id }} className="small">
              Read<span className="sr"> {packet.approval_id}</span>
            </Link>
          </div>
          {differing.length === 0 ? null : (
            <dl className="batch-diff">
              {differing.map((name) => (
                <div key={name}>
                  <dt>
                    <Text>{name}</Text>
                  </dt>
                  <dd>
                    <Differing of={partsOf(packet).get(name)} packet={packet} packets={packets} name={name} />
                  </dd>
                </div>
              ))}
            </dl>
          )}
          <div className="batch-type">
            {typed === undefined ? null : (
              <ToType
                packet={packet}
                typed={typed.get(packet.approval_id) ?? ''}
                onTyped={(text) => onTyped(packet.approval_id, text)}
                others={others}
              />
            )}
            <Button kind="deny" size="small" off={off} onClick={() => onDeny(packet)}>
              Deny …<span className="sr"> {at + 1}</span>
            </Button>
          </div>
        </li>
      ))}
    </ol>
  )
}

type ToTypeProps = {
  readonly packet: Packet
  readonly typed: string
  readonly onTyped: (text: string) => void
  readonly others: readonly string[]
}

/** Not a form: `Enter` never decides. */
function ToType({ packet, typed, onTyped, others }: ToTypeProps) {
  const confirm = confirmOf(packet)
  const isRight = isTyped(confirm, typed)
  const isWrong = typed !== '' && !isRight && !isBeingTyped(confirm, typed)
  const id = `typed-${packet.approval_id}`
  return (
    <div className="typed">
      <p className="label" id={`${id}-label`}>
        To approve, type {confirmWords(confirm).kind}:{' '}
        <b className="mono">
          {confirm.words.map((word, at) => (
            <span key={at}>
              {at === 0 ? null : ', '}
              <Marked word={word} others={others} />
            </span>
          ))}
        </b>
      </p>
      <input
        id={id}
        className={isRight ? 'input mono right' : 'input mono'}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        aria-invalid={isWrong ? true : undefined}
        aria-labelledby={`${id}-label`}
        aria-describedby={`${id}-hint`}
        value={typed}
        onChange={(event) => onTyped(event.target.value)}
      />
      <p id={`${id}-hint`} className={isWrong ? 'hint wrong' : 'hint'}>
        {isRight ? (
          <>
            <Icon name="check" />
            Matches.
          </>
        ) : isWrong ? (
          <>
            <Icon name="warn" />
            You typed something else.
          </>
        ) : (
          'Stays pending.'
        )}
      </p>
    </div>
  )
}

/** Marks the letters in which a word differs from another one of the group that can be mistaken for it. */
function Marked({ word, others }: { readonly word: string; readonly others: readonly string[] }) {
  const [start, end] = others.map((other) => endsInCommon(word, other)).find(([from, to]) => from + to > 0) ?? [0, 0]
  if (start + end === 0) return <Text>{word}</Text>
  return (
    <>
      <Text>{word.slice(0, start)}</Text>
      <mark className="differs">
        <Text>{word.slice(start, word.length - end)}</Text>
      </mark>
      <Text>{word.slice(word.length - end)}</Text>
    </>
  )
}

/** Words with more letters between their common ends are told apart at a glance. */
const FEW = 2

/** How many letters at both ends two words have in common, if they differ in few others, as `exarnple` and `example`; otherwise none. */
function endsInCommon(a: string, b: string): readonly [number, number] {
  const most = Math.min(a.length, b.length)
  let start = 0
  while (start < most && a[start] === b[start]) start += 1
  let end = 0
  while (end < most - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1
  const isOther = start === 0 && a.length === b.length
  return a === b || isOther || Math.max(a.length, b.length) - start - end > FEW ? [0, 0] : [start, end]
}

type DifferingProps = {
  readonly of: unknown
  readonly name: string
  readonly packet: Packet
  readonly packets: readonly Packet[]
}

/** Of a list, the parts that not all others have are marked. */
function Differing({ of, name, packet, packets }: DifferingProps) {
  const isHidden = hidesIn(packet, name)
  const lists = packets.map((other) => partsOf(other).get(name))
  const isEverywhere = (one: unknown) => lists.every((list) => Array.isArray(list) && list.includes(one))
  // Where the lists have nothing in common, each of them is read whole.
  const isOverlapping = Array.isArray(of) && of.some(isEverywhere)
  return (
    <>
      {of === undefined ? (
        <span className="faint">none</span>
      ) : Array.isArray(of) && of.length > 0 && of.every((one) => typeof one === 'string') ? (
        <span className="val">
          {of.map((one: string, at) => (
            <span key={at}>
              {at === 0 ? null : ', '}
              {!isOverlapping || isEverywhere(one) ? (
                <Text>{one}</Text>
              ) : (
                <b className="differs">
                  <Text>{one}</Text>
                </b>
              )}
            </span>
          ))}
        </span>
      ) : (
        <Value of={of} />
      )}
      {isHidden ? (
        <span className="tag">
          <Icon name="lock" />
          something is hidden
        </span>
      ) : null}
    </>
  )
}

/** What a row is compared by: the arguments, and what the gate knows about them. */
function partsOf(packet: Packet): ReadonlyMap<string, unknown> {
  const args = argumentsOf(packet.proposed_args)
  const preview = (packet.preview?.content ?? []).flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
  return new Map<string, unknown>([
    ...(args === undefined ? [['inputs', packet.proposed_args] as const] : Object.entries(args)),
    ...(preview.length === 0 ? [] : [['(dry run)', preview.join('\n')] as const]),
    ...(packet.edited_from === undefined ? [] : [['(before the edit)', packet.edited_from] as const]),
    ['(why it is held)', packet.why_this],
  ])
}

const hidesIn = ({ hidden }: Packet, name: string): boolean => {
  const at = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
  return hidden.some((place) => place.in === 'proposed_args' && (place.at === at || place.at.startsWith(`${at}/`)))
}

/** Fields with different values, or with hidden ones, and fields that are the same in all. */
export function compared(packets: readonly Packet[]): {
  readonly differing: readonly string[]
  readonly same: Readonly<Record<string, unknown>>
} {
  const all = packets.map(partsOf)
  const names = [...new Set(all.flatMap((parts) => [...parts.keys()]))]
  const isSame = (name: string) =>
    all.every((parts) => parts.has(name) && JSON.stringify(parts.get(name)) === JSON.stringify(all[0]?.get(name))) &&
    !packets.some((packet) => hidesIn(packet, name))
  const same = names.filter((name) => isSame(name) && !name.startsWith('('))
  return {
    differing: names.filter((name) => !isSame(name)),
    same: Object.fromEntries(same.map((name) => [name, all[0]?.get(name)])),
  }
}
