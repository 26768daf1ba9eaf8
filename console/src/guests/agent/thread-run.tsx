import { Link } from '@tanstack/react-router'
import type { RunViewProps } from '../../guest.ts'
import { Icon } from '../../parts/icon.tsx'
import { walkedOf } from '../../runs/run-graph.ts'
import { useThreadNews } from './follow-thread.ts'
import { pathOf } from './thread-calls.ts'

/** The journal of a thread has no nodes; its event stream has them, under the same numbers. */
export function ThreadRun({ run, at, children }: RunViewProps) {
  const { events } = useThreadNews(run.run_id)
  const walked = walkedOf(run.graph, pathOf(events, run.events[at - 1]?.seq ?? 0), run.status)
  const link = (
    <Link to="/chat/$id" params={{ id: run.run_id }} className="btn small">
      <Icon name="chat" />
      Conversation
    </Link>
  )
  return children({ walked, link })
}
