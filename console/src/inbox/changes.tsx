import { valueText } from '../../../server/src/kernel/contract/value-text.ts'
import type { Packet } from '../api/types.ts'
import { count } from '../lib/time.ts'
import { Card } from '../parts/card.tsx'
import { Text } from '../parts/text.tsx'
import { TextValue, Value } from './fields.tsx'
import { argumentsOf } from './packet-words.ts'

type Change = NonNullable<Packet['changes']>[number]
type FieldChange = Extract<Change, { of: 'arguments' }>['fields'][number]
type Lines = Extract<Change, { of: 'file' }>['lines']

/** The changes that the call would make, if known. */
export function Changes({ packet }: { readonly packet: Packet }) {
  const changes = packet.changes ?? []
  return (
    <>
      {changes.map((change, at) => {
        if (change.of === 'file')
          return (
            <Card
              key={at}
              title={<Text>{change.path}</Text>}
              aside={
                <>
                  {change.is === 'deleted' ? 'deleted · ' : null}+{count(change.added)} −{count(change.removed)}
                </>
              }
            >
              <LineDiff lines={change.lines} cut={change.cut} />
            </Card>
          )
        return (
          <Card
            key={at}
            title={change.of === 'dry_run' ? 'What would change' : 'What was edited'}
            aside={change.of === 'dry_run' ? 'dry run, nothing was done' : undefined}
          >
            <FieldDiff fields={change.fields} />
          </Card>
        )
      })}
      {packet.changes === undefined && packet.edited_from !== undefined ? (
        <Card title="What was edited">
          <FieldDiff fields={differences(packet.edited_from, packet.proposed_args)} />
        </Card>
      ) : null}
      <Preview packet={packet} />
    </>
  )
}

/** A dry run as the tool answered it. */
function Preview({ packet }: { readonly packet: Packet }) {
  if (packet.preview === undefined || (packet.changes ?? []).some(({ of }) => of === 'dry_run')) return null
  const { preview } = packet
  const texts = preview.content.flatMap((part) => (typeof part['text'] === 'string' ? [part['text']] : []))
  return (
    <Card title="Dry run" aside={preview.isError === true ? 'the dry run failed' : 'nothing was done'}>
      {texts.length === 0 ? (
        <p className="card-body small dim">The dry run answered without text.</p>
      ) : (
        texts.map((text, at) =>
          isDiff(text) ? (
            <LineDiff key={at} lines={linesOf(text)} cut={false} />
          ) : (
            <div key={at} className="card-body">
              <Shown of={jsonIn(text)} />
            </div>
          ),
        )
      )}
    </Card>
  )
}

const Shown = ({ of }: { readonly of: unknown }) =>
  typeof of === 'string' ? <TextValue text={of} /> : <Value of={of} />

/** A JSON answer is shown as fields. */
function jsonIn(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : text
  } catch {
    return text
  }
}

const isDiff = (text: string) => /^(?:```diff|--- |@@ )/m.test(text) && /^[+-]/m.test(text)

function linesOf(text: string): Lines {
  return text
    .split('\n')
    .filter((line) => !line.startsWith('```'))
    .map((line) => {
      if (line.startsWith('@@')) return { is: 'skipped', text: line }
      if (line.startsWith('+') && !line.startsWith('+++')) return { is: 'added', text: line.slice(1) }
      if (line.startsWith('-') && !line.startsWith('---')) return { is: 'removed', text: line.slice(1) }
      return { is: 'same', text: line }
    })
}

export function differences(before: string, after: string): readonly FieldChange[] {
  const was = argumentsOf(before)
  const is = argumentsOf(after)
  if (was === undefined || is === undefined) return [{ at: '', before, after }]
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])]
  return names.flatMap((name) => {
    const [one, two] = [said(was[name]), said(is[name])]
    if (one === two) return []
    return [
      { at: `/${name}`, ...(one === undefined ? {} : { before: one }), ...(two === undefined ? {} : { after: two }) },
    ]
  })
}

const said = (value: unknown): string | undefined => (value === undefined ? undefined : valueText(value))

type FieldDiffProps = {
  readonly fields: readonly FieldChange[]
  readonly was?: string
  readonly now?: string
}

/** A changed value has no sign: beside an amount a plus would read as income. */
export function FieldDiff({ fields, was = 'Now', now = 'After' }: FieldDiffProps) {
  if (fields.length === 0) return <p className="card-body small dim">No difference.</p>
  return (
    <table className="diff">
      <thead>
        <tr>
          <th scope="col">
            <span className="sr">Input</span>
          </th>
          <th scope="col">{was}</th>
          <th scope="col">{now}</th>
        </tr>
      </thead>
      <tbody>
        {fields.map(({ at, before, after }) => (
          <tr key={at}>
            <th scope="row">
              <Text>{at === '' ? 'everything' : at.replace(/^\//, '')}</Text>
            </th>
            <td className={after === undefined ? 'del' : undefined}>
              {before === undefined ? <span className="faint">nothing</span> : <TextValue text={before} />}
              {after === undefined ? <span className="sr"> removed</span> : null}
            </td>
            <td className={before === undefined ? 'add' : after === undefined ? undefined : 'mod'}>
              {before === undefined ? <span aria-hidden="true">+ </span> : null}
              {after === undefined ? <span className="faint">nothing</span> : <TextValue text={after} />}
              {before === undefined ? <span className="sr"> added</span> : null}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const MOST_LINES = 400
const SIGNS = { added: '+', removed: '−', same: '', skipped: '' } as const

export function LineDiff({ lines, cut }: { readonly lines: Lines; readonly cut: boolean }) {
  let number = 0
  return (
    <div className="lines" role="group" aria-label="Lines" tabIndex={0}>
      {lines.slice(0, MOST_LINES).map((line, at) => {
        if (line.is === 'same' || line.is === 'added') number += 1
        return (
          <div key={at} className={line.is === 'added' ? 'add' : line.is === 'removed' ? 'del' : undefined}>
            <span className="n">{line.is === 'removed' || line.is === 'skipped' ? '' : number}</span>
            <span aria-hidden="true">{SIGNS[line.is]}</span>
            <span>
              {line.is === 'added' || line.is === 'removed' ? <span className="sr">{line.is}: </span> : null}
              {line.is === 'skipped' ? <span className="faint">⋯ {line.text}</span> : <Text>{line.text}</Text>}
            </span>
          </div>
        )
      })}
      {cut || lines.length > MOST_LINES ? (
        <p className="card-body small dim">There are more lines than are shown.</p>
      ) : null}
    </div>
  )
}
