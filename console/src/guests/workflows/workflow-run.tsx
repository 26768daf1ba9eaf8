import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Walked } from '../../runs/run-graph.ts'
import { RunGraph, WaitsForPerson } from '../../runs/run-parts.tsx'
import { useMay } from '../../lib/may.ts'
import { Icon } from '../../parts/icon.tsx'
import { Note } from '../../parts/note.tsx'
import { Failed, Skeleton } from '../../parts/states.tsx'
import { Text } from '../../parts/text.tsx'
import { workflowRunQuery, type WorkflowRun } from './workflow-queries.ts'

const WORDS = {
  pending: 'not yet',
  running: 'is here',
  waiting: 'waits here',
  done: 'done',
  skipped: 'skipped',
  failed: 'failed here',
} as const satisfies Record<WorkflowRun['steps'][number]['status'], string>

/** The protocol's graph with how far the run has come. */
function walkedIn({ graph, steps, status }: WorkflowRun): Walked {
  const by = new Map(steps.map((step) => [step.number, step]))
  const walked = (id: string) =>
    id === 'end' ? status === 'done' : !['pending', 'skipped'].includes(by.get(id)?.status ?? 'pending')
  const isHere = (id: string) => ['running', 'waiting', 'failed'].includes(by.get(id)?.status ?? '')
  return {
    from: 'table',
    status: status === 'failed' ? 'faulted' : status,
    nodes: graph.nodes.map(({ id, says }) => ({ id, says, times: walked(id) ? 1 : 0, here: isHere(id) })),
    edges: graph.edges.map((edge) => ({
      ...edge,
      times: walked(edge.from) && walked(edge.to) ? 1 : 0,
      last: false,
    })),
  }
}

/** One run: its graph, and the same as a list. */
export function WorkflowRunView({ listed }: { readonly listed: WorkflowRun }) {
  // Others may not open the run of an agent that is not theirs; what is in the list is all they can see.
  const mayOpen = useMay('decide')
  const query = useQuery({ ...workflowRunQuery(listed.run_id), enabled: mayOpen })
  const run = mayOpen ? query.data : listed
  if (query.isError && run === undefined) return <Failed error={query.error} onRetry={() => void query.refetch()} />
  if (run === undefined) return <Skeleton rows={3} />
  return (
    <div className="workflow-run">
      <WaitsForPerson waitsFor={run.waits_for} mayOpen={mayOpen} />
      {run.error === undefined ? null : (
        <Note kind="block" icon="warn">
          <p>
            <b>
              {run.error.step === null ? 'It failed' : `Step ${run.error.step} failed`}: <Text>{run.error.code}</Text>.
            </b>{' '}
            The steps after it did not run. <Text>{run.error.says}</Text>
          </p>
        </Note>
      )}
      <div className="graph workflow-graph">
        <RunGraph graph={walkedIn(run)} />
      </div>
      <ol className="workflow-steps small" aria-label="Steps">
        {run.steps.map((step) => (
          <li key={step.number} className={step.status}>
            <code>{step.number}</code> <b>{step.id ?? step.type}</b>{' '}
            <span className="dim">
              {step.id === undefined ? '' : `${step.type}, `}
              {WORDS[step.status]}
              {step.items === undefined ? '' : `, ${step.items.done} of ${step.items.of} items`}
            </span>
          </li>
        ))}
      </ol>
      {mayOpen ? (
        <p className="small">
          <Link to="/runs/$id" params={{ id: run.run_id }} className="btn quiet small">
            <Icon name="run" />
            Journal of the run
          </Link>
        </p>
      ) : null}
    </div>
  )
}
