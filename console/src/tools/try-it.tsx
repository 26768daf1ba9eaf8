import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../api/client.ts'
import { problemOf } from '../api/problem.ts'
import type { CallOutcome, ListedTool } from '../api/types.ts'
import { TextValue, Value } from '../inbox/fields.tsx'
import { Button } from '../parts/button.tsx'
import { Card } from '../parts/card.tsx'
import { Note } from '../parts/note.tsx'
import { GateText } from '../parts/gate-text.tsx'
import { Text } from '../parts/text.tsx'

type Schema = {
  readonly properties?: Readonly<Record<string, { readonly type?: unknown }>>
  readonly required?: readonly string[]
}

/** A call like any other: the gate judges it, and a dry run is all that can happen here. */
export function TryIt({ tool }: { readonly tool: ListedTool }) {
  const schema = tool.input_schema as Schema
  const names = Object.keys(schema.properties ?? {})
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({})
  const [wrong, setWrong] = useState<string>()
  const attempt = useMutation({
    mutationFn: (args: object) =>
      ask<CallOutcome>('/v1/calls', { method: 'POST', json: { tool: tool.tool_id, args, dry_run: 'only' } }),
  })
  if (!tool.dry_run)
    return (
      <Card title="Try it">
        <p className="card-body small dim">
          No dry run is known for this tool, so it cannot be tried here. An operator can declare one in sluice.yaml.
        </p>
      </Card>
    )
  const submit = () => {
    const args: Record<string, unknown> = {}
    for (const name of names) {
      const text = texts[name] ?? ''
      if (text === '') continue
      const isText = schema.properties?.[name]?.type === 'string'
      try {
        args[name] = isText ? text : (JSON.parse(text) as unknown)
      } catch {
        return setWrong(name)
      }
    }
    setWrong(undefined)
    attempt.mutate(args)
  }
  const { data, error } = attempt
  const missing = (schema.required ?? []).filter((name) => names.includes(name) && (texts[name] ?? '') === '')
  return (
    <Card title="Try it" aside="dry run, without effect">
      <div className="card-body">
        {names.map((name) => (
          <div key={name}>
            <label className="label" htmlFor={`try-${name}`}>
              <Text>{name}</Text>{' '}
              <span className="faint">
                {typeof schema.properties?.[name]?.type === 'string' ? schema.properties[name].type : 'JSON'}
                {schema.required?.includes(name) === true ? ', required' : ''}
              </span>
            </label>
            <input
              id={`try-${name}`}
              className="input"
              autoComplete="off"
              aria-invalid={wrong === name ? true : undefined}
              value={texts[name] ?? ''}
              onChange={(event) => setTexts({ ...texts, [name]: event.target.value })}
            />
            {wrong === name ? <p className="hint wrong">This is not valid JSON.</p> : null}
          </div>
        ))}
        <div className="acts">
          <span className="grow" />
          <Button size="small" off={missing.length > 0} busy={attempt.isPending} onClick={submit}>
            Run the dry run
          </Button>
        </div>
        {error === null ? null : (
          <Note kind="block" icon="warn" small alert>
            <p className="small">
              <b>The dry run did not start.</b> <GateText>{problemOf(error).detail || problemOf(error).title}</GateText>{' '}
              <code>{problemOf(error).code}</code>
            </p>
          </Note>
        )}
        {data?.status === 'previewed' ? (
          <Note kind="allow" icon="check" small>
            <b className="small">The dry run answered:</b>
            {data.preview.content.map((part, at) =>
              typeof part['text'] === 'string' ? (
                <TextValue key={at} text={part['text']} />
              ) : (
                <Value key={at} of={part} />
              ),
            )}
          </Note>
        ) : data === undefined ? null : (
          <p className="small">The gate answered: {data.status}.</p>
        )}
      </div>
    </Card>
  )
}
