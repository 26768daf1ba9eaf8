import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState, type Ref } from 'react'
import { ask } from '../api/client.ts'
import { codeOf, problemOf } from '../api/problem.ts'
import type { Packet } from '../api/types.ts'
import { say } from '../lib/announce.ts'
import { many } from '../lib/time.ts'
import { Button } from '../parts/button.tsx'
import { Card } from '../parts/card.tsx'
import { Countdown } from '../parts/countdown.tsx'
import { Icon } from '../parts/icon.tsx'
import { Sentence } from '../parts/sentence.tsx'
import { Text } from '../parts/text.tsx'
import { Bar } from './deny-bar.tsx'
import { EditVerdict, useEditVerdict } from './edit-verdict.tsx'
import { argumentsOf, agentName, sentenceOf, type ArgumentFields } from './packet-words.ts'
import { useDecide } from './use-decide.ts'

type EditProps = {
  readonly packet: Packet
  readonly off: string | undefined
  readonly inert: boolean
  readonly onBack: () => void
  readonly headRef: Ref<HTMLHeadingElement>
}

const WHOLE = ''
const isTextList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string' && !one.includes('\n'))

/** A list of strings is edited one per line, everything else that is not a string as JSON. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return isTextList(value) ? value.join('\n') : (JSON.stringify(value, null, 2) ?? '')
}

/** The typed text as a value of the same type as before; undefined if it is not one. */
function valueOf(text: string, before: unknown): unknown {
  if (typeof before === 'string') return text
  if (isTextList(before)) return text.split('\n').filter((line) => line.trim() !== '')
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** Changes make a new request: the old one is closed, and the gate judges the new one again. */
export function EditPacket({ packet, off, inert, onBack, headRef }: EditProps) {
  const args: ArgumentFields = argumentsOf(packet.proposed_args) ?? {
    [WHOLE]: JSON.parse(packet.proposed_args) as unknown,
  }
  const needed = packet.required_inputs.filter((name) => name in args)
  const names = [...needed, ...Object.keys(args).filter((name) => !needed.includes(name))]
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({})
  const [gone, setGone] = useState<ReadonlySet<string>>(new Set())
  const go = useNavigate()
  const decide = useDecide(packet.approval_id)
  const first = useRef<HTMLDivElement>(null)
  useEffect(() => first.current?.querySelector<HTMLElement>('input, textarea')?.focus(), [])

  const isHidden = (name: string) =>
    packet.hidden.some(
      ({ in: part, at }) => part === 'proposed_args' && (at === `/${name}` || at.startsWith(`/${name}/`)),
    )
  const isChanged = (name: string) =>
    gone.has(name) || (texts[name] !== undefined && texts[name] !== textOf(args[name]))
  const changed = names.filter(isChanged)
  const values = new Map(
    changed.filter((name) => !gone.has(name)).map((name) => [name, valueOf(texts[name] ?? '', args[name])]),
  )
  const wrong = [...values].filter(([, value]) => value === undefined).map(([name]) => name)

  const applied = (base: ArgumentFields): unknown => {
    if (WHOLE in args) return values.get(WHOLE)
    const after: Record<string, unknown> = { ...base }
    for (const name of gone) delete after[name]
    for (const [name, value] of values) after[name] = value
    return after
  }
  const canJudge = changed.length > 0 && wrong.length === 0 && packet.hidden.length === 0
  const verdict = useEditVerdict(packet, canJudge ? applied(args) : undefined)
  const isOff = off !== undefined || inert || changed.length === 0 || wrong.length > 0
  const save = async () => {
    if (isOff || decide.isPending) return
    try {
      // Hidden values are fetched for this request and never shown; values that are not edited are sent unchanged.
      const whole =
        packet.hidden.length === 0
          ? args
          : (argumentsOf(
              (
                await ask<Pick<Packet, 'proposed_args'>>(`/v1/approvals/${packet.approval_id}/reveal`, {
                  method: 'POST',
                })
              ).proposed_args,
            ) ?? args)
      const made = await decide.mutateAsync({ decision: 'edit', args: applied(whole) as never, digest: packet.digest })
      say('The new request is here. Nothing ran.')
      void go({ to: '/approvals/$id', params: { id: made.approval_id } })
    } catch (error) {
      if (codeOf(error) === 'approval.changed' || codeOf(error) === 'approval.not_pending') onBack()
    }
  }
  return (
    <>
      <div className="packet-scroll">
        <div className="packet-in">
          <div className="packet-top">
            <span className="tag accent">
              <Icon name="edit" />
              you are editing
            </span>
            <Countdown from={packet.created_at} until={packet.expires_at} long />
          </div>
          <h2 className="sentence" ref={headRef} tabIndex={-1}>
            <Sentence of={verdict?.sentence ?? sentenceOf(packet)} />
          </h2>
          <p className="who">
            <span className="face agent" aria-hidden="true">
              <Icon name="agent" />
            </span>
            <span>
              Asked by{' '}
              <b>
                <Text>{agentName(packet.asked_by.id)}</Text>
              </b>
              . Your changes make a <b>new request</b>; the old one is closed and the gate judges the new one again.
            </span>
          </p>
          <div className="cols">
            <div className="col">
              <Card title="The inputs" aside={many(changed.length, 'change')}>
                <div className="edit-fields" ref={first}>
                  {names.map((name) => (
                    <EditField
                      key={name}
                      name={name}
                      before={textOf(args[name])}
                      text={texts[name] ?? textOf(args[name])}
                      isJson={typeof args[name] !== 'string' && !isTextList(args[name])}
                      isList={isTextList(args[name])}
                      isLocked={isHidden(name)}
                      isGone={gone.has(name)}
                      isChanged={isChanged(name)}
                      isWrong={wrong.includes(name)}
                      canRemove={name !== WHOLE && !packet.required_inputs.includes(name)}
                      onText={(text) => setTexts({ ...texts, [name]: text })}
                      onGone={(isGone) => {
                        const next = new Set(gone)
                        if (isGone) next.add(name)
                        else next.delete(name)
                        setGone(next)
                      }}
                    />
                  ))}
                </div>
              </Card>
            </div>
            <div className="col">
              <Card title="What you change">
                {changed.length === 0 ? (
                  <p className="card-body small dim">Nothing yet.</p>
                ) : (
                  <ul className="facts">
                    {changed.map((name) => (
                      <li key={name}>
                        <Icon name={gone.has(name) ? 'minus' : 'edit'} />
                        <span>
                          <Text>{name === WHOLE ? 'everything' : name}</Text>{' '}
                          {gone.has(name) ? 'is removed' : wrong.includes(name) ? 'is not valid JSON' : 'is changed'}
                        </span>
                      </li>
                    ))}
                  </ul>
                )}
              </Card>
              {verdict === undefined ? null : <EditVerdict verdict={verdict} />}
            </div>
          </div>
          {decide.error === null ? null : (
            <p className="hint wrong" role="alert">
              <Icon name="warn" />
              No new request was made: {problemOf(decide.error).detail || problemOf(decide.error).title}
            </p>
          )}
        </div>
      </div>
      <Bar>
        <p className="decide-says">{off ?? 'Nothing is sent yet. You see the new request first.'}</p>
        <Button onClick={onBack}>Discard</Button>
        <span className="gap" />
        <Button kind="primary" className="approve" off={isOff} busy={decide.isPending} onClick={() => void save()}>
          Create the new request
        </Button>
      </Bar>
    </>
  )
}

type FieldProps = {
  readonly name: string
  readonly before: string
  readonly text: string
  readonly isJson: boolean
  readonly isList: boolean
  readonly isLocked: boolean
  readonly isGone: boolean
  readonly isChanged: boolean
  readonly isWrong: boolean
  readonly canRemove: boolean
  readonly onText: (text: string) => void
  readonly onGone: (isGone: boolean) => void
}

function EditField(props: FieldProps) {
  const { name, text, before, isJson, isLocked, isGone } = props
  const id = `edit-${name}`
  const isLong = props.isList || before.length > 60 || before.includes('\n')
  const field = {
    id,
    className: `${isLong ? 'textarea' : 'input'}${isJson ? ' mono' : ''}`,
    value: text,
    'aria-invalid': props.isWrong ? true : undefined,
    onChange: (event: { target: { value: string } }) => props.onText(event.target.value),
  }
  return (
    <div>
      <label className="label" htmlFor={id}>
        <Text>{name === WHOLE ? 'All inputs' : name}</Text>{' '}
        {props.isList ? <span className="faint">one per line </span> : null}
        {props.isChanged ? <span className="tag accent">changed</span> : null}
      </label>
      {isLocked ? (
        <input id={id} className="input" disabled value="hidden, stays as it is" />
      ) : isGone ? (
        <input id={id} className="input" disabled value="nothing" />
      ) : isLong ? (
        <textarea
          {...field}
          rows={Math.min(12, Math.max(props.isList ? 2 : 4, text.split('\n').length + (props.isList ? 0 : 1)))}
        />
      ) : (
        <input {...field} autoComplete="off" spellCheck={false} />
      )}
      {props.isChanged ? (
        <p className="small dim">
          was: <span className="was-value">{<Text>{before.slice(0, 200)}</Text>}</span> ·{' '}
          <button
            type="button"
            className="link"
            onClick={() => {
              props.onGone(false)
              props.onText(before)
            }}
          >
            restore
          </button>
        </p>
      ) : props.canRemove && !isLocked ? (
        <button type="button" className="link small" onClick={() => props.onGone(true)}>
          remove
        </button>
      ) : null}
    </div>
  )
}
