import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../api/client.ts'
import { problemOf } from '../api/problem.ts'
import { say } from '../lib/announce.ts'
import { useMay } from '../lib/may.ts'
import { shortTime, whenText } from '../lib/time.ts'
import { Button } from '../parts/button.tsx'
import { Note } from '../parts/note.tsx'
import { Failed, Skeleton } from '../parts/states.tsx'
import { Text } from '../parts/text.tsx'
import { EffectWord } from '../parts/verdict.tsx'
import { Cases } from './cases.tsx'
import { Draft } from './draft.tsx'
import { policyQuery, policyTextQuery, type CurrentPolicy, type ShownRule } from './policy-query.ts'

const TABS = ['In force', 'Draft', 'Cases'] as const

/** What is in force and why, and what a draft would have done to the calls of last week. */
export function PolicyPage() {
  const query = useQuery(policyQuery)
  const mayDraft = useMay('decide')
  const [tab, setTab] = useState<(typeof TABS)[number]>('In force')
  const [draft, setDraft] = useState<string>()
  const { data } = query
  if (query.isError && data === undefined) return <Failed error={query.error} onRetry={() => void query.refetch()} />
  if (data === undefined) return <Skeleton />
  return (
    <>
      <div className="top">
        <h1>Policy</h1>
        <span className="tag">preset {data.preset}</span>
        {data.mode === 'enforce' ? null : <span className="tag ask">{data.mode}</span>}
        <span className="faint small wide">
          in force since {shortTime(data.since)}, <code>{data.version.slice(0, 10)}</code>
        </span>
        <span className="grow" />
        <div className="tabs" role="group" aria-label="Views of the policy">
          {(mayDraft ? TABS : TABS.slice(0, 1)).map((name) => (
            <button key={name} type="button" aria-pressed={tab === name} onClick={() => setTab(name)}>
              {name}
            </button>
          ))}
        </div>
      </div>
      {tab === 'In force' ? <InForce policy={data} /> : null}
      {tab === 'Draft' ? (
        <DraftTab
          policy={data}
          draft={draft}
          onText={setDraft}
          onDone={() => {
            setDraft(undefined)
            setTab('In force')
          }}
        />
      ) : null}
      {tab === 'Cases' ? <Cases draft={draft} /> : null}
    </>
  )
}

type DraftTabProps = {
  readonly policy: CurrentPolicy
  readonly draft: string | undefined
  readonly onText: (text: string | undefined) => void
  readonly onDone: () => void
}

/** A draft starts from the text in force, as the operator wrote it. */
function DraftTab({ policy, draft, onText, onDone }: DraftTabProps) {
  const query = useQuery(policyTextQuery(policy.version))
  const text = draft ?? query.data?.text
  if (query.isError && text === undefined) return <Failed error={query.error} onRetry={() => void query.refetch()} />
  if (text === undefined) return <Skeleton />
  return <Draft policy={policy} text={text} onText={onText} onDiscard={() => onText(undefined)} onDone={onDone} />
}

function InForce({ policy }: { readonly policy: CurrentPolicy }) {
  const own = policy.rules.filter(({ layer }) => layer === 'operator')
  const preset = policy.rules.filter(({ layer }) => layer === 'preset')
  return (
    <div className="scroll">
      {policy.notices.map((notice) => (
        <div key={notice.at} className="pad">
          <Note kind="block" icon="warn" alert>
            <p>
              <b>The newest policy on disk was refused {whenText(notice.at)}.</b> The one below stays in force.{' '}
              <Text>{notice.says}</Text>
            </p>
            <Faults of={notice.faults} />
          </Note>
        </div>
      ))}
      <h2 className="section-head">
        Your rules <span className="faint">the strictest that matches decides; their order does not matter</span>
        <Reload />
      </h2>
      {own.length === 0 ? <p className="pad small dim">None. The preset decides everything.</p> : <Rules of={own} />}
      <h2 className="section-head">
        Preset “{policy.preset}” <span className="faint">where none of your rules matches</span>
      </h2>
      <Rules of={preset} />
    </div>
  )
}

function Faults({
  of,
}: {
  readonly of: readonly { readonly line: number; readonly says: string; readonly instead: string }[]
}) {
  return (
    <ul className="small">
      {of.map((fault) => (
        <li key={`${fault.line} ${fault.says}`}>
          line {fault.line}: <Text>{fault.says}</Text>. {fault.instead === '' ? null : <Text>{fault.instead}</Text>}
        </li>
      ))}
    </ul>
  )
}

/** When the rule applies. What it does and why is shown next to it. */
function conditionOf({ reads, says }: ShownRule): string {
  const end = `: ${says}`
  const text = reads.endsWith(end) ? reads.slice(0, -end.length) : reads
  return text.replace(/^(?:allow|ask|block)(?: \([a-z_]+\))? /, '')
}

function Rules({ of }: { readonly of: readonly ShownRule[] }) {
  return (
    <ul>
      {of.map((rule) => (
        <li key={`${rule.layer} ${rule.id}`} className="rule-row">
          <EffectWord of={rule.effect} strength={rule.strength} />
          <span className="what">
            <span>
              <Text>{rule.says}</Text>
            </span>
            <span className="tiny faint mono">
              <Text>{`${rule.id} · ${rule.source.split(/[/\\]/).at(-1) ?? ''}`}</Text>
            </span>
          </span>
          <span className="small dim">
            <Text>{conditionOf(rule)}</Text>
          </span>
        </li>
      ))}
    </ul>
  )
}

function Reload() {
  const mayReload = useMay('administer')
  const client = useQueryClient()
  const reload = useMutation({
    mutationFn: () => ask('/v1/policies/reload', { method: 'POST' }),
    onSuccess: () => say('The policy was read from disk.'),
    onSettled: () => client.invalidateQueries({ queryKey: ['policy'] }),
  })
  if (!mayReload) return null
  return (
    <span className="acts push">
      {reload.error === null ? null : (
        <span className="hint wrong" role="alert">
          {problemOf(reload.error).title}
        </span>
      )}
      <Button size="small" busy={reload.isPending} onClick={() => reload.mutate()}>
        Reload from disk
      </Button>
    </span>
  )
}
