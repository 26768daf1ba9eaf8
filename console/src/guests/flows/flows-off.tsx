import { useQuery } from '@tanstack/react-query'
import { featuresQuery, type Features } from '../../api/features.ts'
import { GateText } from '../../parts/gate-text.tsx'
import { Note } from '../../parts/note.tsx'

type Switch = Features['flows']['runs']

/** Whether runs can be changed and whether agents can execute steps; until it is known, both count as possible. */
export function useFlowSwitches(): { readonly runs: boolean; readonly execution: boolean } {
  const { data } = useQuery(featuresQuery)
  return { runs: data?.flows.runs.on ?? true, execution: data?.flows.execution.on ?? true }
}

/** Says before somebody starts what is off, and how an operator enables it. */
export function FlowsOff() {
  const { data } = useQuery(featuresQuery)
  if (data === undefined) return null
  const { runs, execution } = data.flows
  if (!runs.on)
    return (
      <Off of={runs} says="Flows are read-only.">
        Runs can be read, but not started or changed.
      </Off>
    )
  if (!execution.on)
    return (
      <Off of={execution} says="Agents cannot execute steps.">
        People can start runs and complete steps by hand.
      </Off>
    )
  return null
}

type OffProps = { readonly of: Switch; readonly says: string; readonly children: string }

function Off({ of, says, children }: OffProps) {
  return (
    <Note kind="ask" icon="lock" small>
      <p>
        <b>{says}</b> {children}
      </p>
      <p className="small">
        To enable this, an operator can do the following: <GateText>{of.do ?? ''}</GateText>.
      </p>
    </Note>
  )
}
