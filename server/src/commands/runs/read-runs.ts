import { DECIDING_KINDS, type Caller } from '../../contract/caller.ts'
import { ok, refuse, type Result } from '../../contract/problems.ts'
import type { RunRow, RunStatus } from '../../contract/run.ts'
import type { Page, Shelves } from '../ports.ts'

/** What is shown of a run. Its state is its kind's own business, and may hold what only its kind knows how to redact. */
export type RunView = Pick<RunRow, 'run_id' | 'kind' | 'status' | 'created_at'> & {
  /** The effects under way. */
  readonly executing: readonly string[]
}
export type RunsPage = { readonly items: readonly RunView[]; readonly next?: number }

/** Everything durable that advances in steps, newest first, for those who decide. */
export async function listRuns(
  { shelves }: { readonly shelves: Shelves },
  caller: Caller,
  status: RunStatus | undefined,
  page: Page,
): Promise<Result<RunsPage>> {
  if (!DECIDING_KINDS.includes(caller.kind)) return refuse('auth.forbidden', { needs: DECIDING_KINDS.join(', ') })
  const held = await shelves.list('runs', status === undefined ? {} : { status }, { ...page, newest_first: true })
  const last = held.length === page.limit ? held.at(-1) : undefined
  const items = held.map(({ row: { run_id, kind, status: now, created_at, executing } }) => ({
    run_id,
    kind,
    status: now,
    created_at,
    executing: executing.map((effect) => effect.kind),
  }))
  return ok({ items, ...(last === undefined ? {} : { next: last.cursor }) })
}
