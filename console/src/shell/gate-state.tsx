import { connection } from '../api/stream.ts'
import { useStore } from '../lib/store.ts'
import { usePauses } from './use-gate.ts'

export function GateState({ short = false }: { readonly short?: boolean }) {
  const pauses = usePauses()
  const { state } = useStore(connection)
  const isAll = pauses.some(({ scope }) => scope === 'all')
  if (state === 'lost')
    return (
      <State dot="warn" words={short ? 'No answer' : 'Sluice is not responding'} more="this page may be out of date" />
    )
  if (isAll) return <State dot="stop" words="Paused" more="no call starts" />
  if (pauses.length > 0) return <State dot="warn" words="Running" more={`${pauses.length} paused`} />
  return <State dot="" words="Running" />
}

function State({ dot, words, more }: { readonly dot: string; readonly words: string; readonly more?: string }) {
  return (
    <div className="gate-state">
      <span className={`dot ${dot}`} aria-hidden="true" />
      <span className="t">{words}</span>
      {more === undefined ? null : <span className="tiny faint t">{more}</span>}
    </div>
  )
}
