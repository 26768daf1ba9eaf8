import { useQueries } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { CallSummary } from '../../../server/src/kernel/contract/activity.ts'
import { callQuery } from '../activity/calls-query.ts'
import { announce, toast, type Toast } from '../lib/announce.ts'
import { useStore } from '../lib/store.ts'

const SHOWN_MS = 6_000
/** For a call whose outcome is not known yet. */
const WAITING_MS = 30_000

export function ToastLine() {
  const shown = useStore(toast)
  return shown === undefined ? null : <Line key={shown.at} of={shown} />
}

/** Of approved calls it says the outcome as soon as the gate reports it. */
function Line({ of }: { readonly of: Toast }) {
  const { calls = [] } = of
  const results = useQueries({ queries: calls.map((id) => ({ ...callQuery(id), staleTime: 0 })) })
  const states = results.map(({ data }) => data?.state)
  const outcome = outcomeOf(states)
  const isOver = states.every((state) => state !== undefined && !RUNNING.has(state))
  useEffect(() => {
    const timer = setTimeout(() => toast.set(undefined), isOver ? SHOWN_MS : WAITING_MS)
    return () => clearTimeout(timer)
  }, [isOver])
  useEffect(() => {
    if (outcome !== '') announce(outcome)
  }, [outcome])
  return (
    <div className="toast" aria-hidden={of.href === undefined ? true : undefined}>
      {of.says} {outcome}
      {of.href === undefined ? null : <a href={of.href}>{of.link}</a>}
    </div>
  )
}

type State = CallSummary['state']

const RUNNING: ReadonlySet<State> = new Set(['pending', 'executing'])

const WORDS: Readonly<Record<State, readonly [one: string, many: string]>> = {
  executed: ['It ran.', 'ran'],
  failed: ['It failed.', 'failed'],
  unknown: ['It is not known whether it took effect.', 'with an unknown outcome'],
  refused: ['The gate stopped it, so it did not run.', 'stopped by the gate'],
  not_reported: ['Its outcome was not reported.', 'not reported'],
  executing: ['It is running.', 'running'],
  pending: ['It is running.', 'running'],
}

function outcomeOf(states: readonly (State | undefined)[]): string {
  const known = states.filter((state) => state !== undefined)
  const [first] = known
  if (first === undefined) return ''
  if (states.length === 1) return WORDS[first][0]
  const counts = Map.groupBy(known, (state) => WORDS[state][1])
  return `${[...counts].map(([word, those]) => `${those.length} ${word}`).join(', ')}.`
}
