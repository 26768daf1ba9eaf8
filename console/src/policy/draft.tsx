import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import { ask } from '../api/client.ts'
import { problemOf } from '../api/problem.ts'
import { count, many, shortTime } from '../lib/time.ts'
import { Button } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { Note } from '../parts/note.tsx'
import { GateText } from '../parts/gate-text.tsx'
import { Text } from '../parts/text.tsx'
import { EffectWord } from '../parts/verdict.tsx'
import { PutInForce } from './put-in-force.tsx'
import type { ShownLint, PolicyDiff, CurrentPolicy, ShownReplay } from './policy-query.ts'

type DraftProps = {
  readonly policy: CurrentPolicy
  readonly text: string
  readonly onText: (text: string) => void
  readonly onDiscard: () => void
  /** It is in force. */
  readonly onDone: () => void
}

const PAUSE_MS = 600
const WEEK = 604_800_000
const FILE = 'draft.yaml'

/** A draft on the left, its effect on last week's calls on the right. Writing a draft does not put it in force. */
export function Draft({ policy, text, onText, onDiscard, onDone }: DraftProps) {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  const since = useMemo(() => Date.now() - WEEK, [])
  const body = { file: FILE, text: settled }
  const diff = useQuery({
    queryKey: ['policy-draft', 'diff', settled, policy.version],
    queryFn: ({ signal }) =>
      ask<PolicyDiff>('/v1/policies/diff', { method: 'POST', json: { policy: body, since }, signal }),
    retry: false,
    gcTime: 30_000,
    placeholderData: (before) => before,
  })
  const lint = useQuery({
    queryKey: ['policy-draft', 'lint', settled, policy.version],
    queryFn: ({ signal }) => ask<ShownLint>('/v1/policies/lint', { method: 'POST', json: { policy: body }, signal }),
    retry: false,
    gcTime: 30_000,
    enabled: !diff.isError,
  })
  const rules = diff.data?.rules
  const isSame =
    rules?.same === true ||
    (rules !== undefined && rules.added.length + rules.removed.length + rules.changed.length === 0)
  return (
    <div className="policy">
      <section className="draft" aria-label="Draft">
        <div className="draft-head">
          <h2>Your draft</h2>
          <span className="faint small">
            {rules === undefined
              ? ''
              : isSame
                ? 'the same as in force'
                : `${many(rules.changed.length, 'rule')} changed, ${rules.added.length} added, ${rules.removed.length} removed`}
          </span>
          <span className="grow" />
          <Button size="small" onClick={onDiscard}>
            Discard
          </Button>
        </div>
        <label className="sr" htmlFor="draft">
          The draft as YAML
        </label>
        <textarea
          id="draft"
          className="editor"
          spellCheck={false}
          autoComplete="off"
          value={text}
          aria-invalid={diff.isError ? true : undefined}
          aria-describedby="draft-faults"
          onChange={(event) => onText(event.target.value)}
        />
        <div id="draft-faults" className="draft-notes">
          {diff.isError ? <DraftFaults error={diff.error} /> : <Findings of={lint.data} />}
        </div>
      </section>
      <section className="effects" aria-label="The last 7 days under this draft">
        <div className="draft-head">
          <h2>The last 7 days under this draft</h2>
          <span className="grow" />
          <span className="faint small">
            {diff.data?.replay === undefined ? '' : `${many(diff.data.replay.judged, 'call')} judged again`}
          </span>
        </div>
        {diff.data?.replay === undefined || diff.isError ? (
          <p className="pad small dim">{diff.isError ? 'The draft cannot be read yet.' : 'Judging …'}</p>
        ) : (
          <Effects of={diff.data.replay} />
        )}
        <PutInForce
          text={settled}
          version={policy.version}
          onDone={onDone}
          off={diff.isError || isSame || diff.isFetching || settled !== text}
          looser={diff.data?.replay?.changes.some(({ way }) => way === 'looser') === true}
        />
      </section>
    </div>
  )
}

function DraftFaults({ error }: { readonly error: unknown }) {
  const { code, about, title } = problemOf(error)
  return (
    <Note kind="block" icon="warn" small alert>
      <p className="small">
        <b>This draft cannot be read.</b> {title} <code>{code}</code>
      </p>
      {about['faults'] === undefined ? null : (
        <pre className="val small">
          <Text lines>{about['faults']}</Text>
        </pre>
      )}
    </Note>
  )
}

function Findings({ of }: { readonly of: ShownLint | undefined }) {
  if (of === undefined) return null
  if (of.findings.length === 0)
    return (
      <p className="hint">
        <Icon name="check" />
        No problems found.
      </p>
    )
  return (
    <ul className="col">
      {of.findings.map((finding) => (
        <li key={`${finding.kind} ${finding.says}`}>
          <Note kind="ask" icon="warn" small>
            <p className="small">
              <b>
                {finding.kind}: {finding.rules.join(', ')}.
              </b>{' '}
              <GateText>{finding.says}</GateText>
            </p>
          </Note>
        </li>
      ))}
    </ul>
  )
}

function Effects({ of }: { readonly of: ShownReplay }) {
  const total = (name: (from: string, to: string) => boolean) =>
    Object.entries(of.sums).reduce((sum, [key, n]) => {
      const [from = '', to = ''] = key.split(' → ')
      return name(from, to) ? sum + n : sum
    }, 0)
  const changed = Object.values(of.sums).reduce((sum, n) => sum + n, 0)
  const totals = [
    ['ask', total((_, to) => to === 'ask'), 'would now be held'],
    ['allow', total((from, to) => from !== 'allow' && to === 'allow'), 'would now run without asking'],
    ['block', total((_, to) => to === 'block'), 'newly blocked'],
    [
      '',
      Math.max(0, of.judged - changed),
      `the same${of.not_replayable === 0 ? '' : `, ${count(of.not_replayable)} too old to judge`}`,
    ],
  ] as const
  return (
    <div className="scroll">
      <dl className="totals">
        {totals.map(([kind, n, words]) => (
          <div key={words}>
            <dt className="small dim">{words}</dt>
            <dd className={`total ${n === 0 ? '' : kind}`}>{count(n)}</dd>
          </div>
        ))}
      </dl>
      {(['stricter', 'looser'] as const).map((way) => {
        const changes = of.changes.filter((change) => change.way === way)
        if (changes.length === 0) return null
        return (
          <section key={way} aria-label={way}>
            <h3 className="section-head">
              {way === 'stricter' ? 'Judged more strictly' : 'Judged more loosely'}{' '}
              <span className="faint">{many(changes.length, 'call')}</span>
            </h3>
            <ul>
              {changes.slice(0, 50).map((change) => (
                <li key={change.call_id} className="change-row">
                  <span className="what">
                    <Link to="/activity/$id" params={{ id: change.call_id }}>
                      <code>{change.tool_id}</code>
                    </Link>
                    <span className="tiny faint">
                      {shortTime(change.received_at)}, by <Text>{change.to.rules.join(', ')}</Text>
                    </span>
                  </span>
                  <EffectWord of={change.from.effect} strength={change.from.strength} />
                  <Icon name="arrow" size="s" />
                  <EffectWord of={change.to.effect} strength={change.to.strength} />
                </li>
              ))}
            </ul>
          </section>
        )
      })}
      {of.more || of.left_off > 0 ? <p className="pad small dim">There are more calls than are shown.</p> : null}
    </div>
  )
}
