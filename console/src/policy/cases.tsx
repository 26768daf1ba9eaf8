import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../api/client.ts'
import { problemOf } from '../api/problem.ts'
import { Button } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { Note } from '../parts/note.tsx'
import { Text } from '../parts/text.tsx'
import type { PolicyTestReport } from './policy-query.ts'

const EXAMPLE = `- name: an agent cannot delete sent mail
  tool: { id: mail__delete, effects: [destructive], risk: high }
  verdict: block
`

/** Test cases, run against the draft or the policy in force. */
export function Cases({ draft }: { readonly draft: string | undefined }) {
  const [text, setText] = useState(EXAMPLE)
  const run = useMutation({
    mutationFn: (onDraft: boolean) =>
      ask<PolicyTestReport>('/v1/policies/test', {
        method: 'POST',
        json: {
          ...(onDraft && draft !== undefined ? { policy: { file: 'draft.yaml', text: draft } } : {}),
          cases: [{ file: 'cases.yaml', text }],
        },
      }),
  })
  return (
    <div className="policy">
      <section className="draft" aria-label="Cases">
        <div className="draft-head">
          <h2>Cases</h2>
          <span className="grow" />
          {draft === undefined ? null : (
            <Button size="small" busy={run.isPending} onClick={() => run.mutate(true)}>
              Run on the draft
            </Button>
          )}
          <Button size="small" busy={run.isPending} onClick={() => run.mutate(false)}>
            Run on the policy in force
          </Button>
        </div>
        <label className="sr" htmlFor="cases">
          Cases as YAML
        </label>
        <textarea
          id="cases"
          className="editor"
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </section>
      <section className="effects" aria-label="Results">
        <div className="draft-head">
          <h2>Results</h2>
          <span className="faint small">
            {run.data === undefined ? '' : `${run.data.passed} pass, ${run.data.failed} fail`}
          </span>
        </div>
        {run.error === null ? null : (
          <div className="pad">
            <Note kind="block" icon="warn" small alert>
              <p className="small">
                <b>The cases did not run.</b> {problemOf(run.error).title}
              </p>
              <pre className="val small">
                <Text lines>{problemOf(run.error).about['faults'] ?? problemOf(run.error).detail}</Text>
              </pre>
            </Note>
          </div>
        )}
        <ul className="scroll">
          {(run.data?.results ?? []).map((result) => {
            const { name, passed } = result
            return (
              <li key={name} className="change-row">
                <span className="what">
                  <span>
                    <Text>{name}</Text>
                  </span>
                  {passed ? null : (
                    <span className="tiny faint">
                      expected {result.expected.effect}, got {result.answer.effect}
                    </span>
                  )}
                </span>
                <span className={passed ? 'verdict allow' : 'verdict block'}>
                  <Icon name={passed ? 'check' : 'cross'} />
                  {passed ? 'passes' : 'fails'}
                </span>
              </li>
            )
          })}
        </ul>
      </section>
    </div>
  )
}
