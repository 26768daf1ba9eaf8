import { useQuery } from '@tanstack/react-query'
import { ask } from '../api/client.ts'
import { useMe } from '../inbox/use-me.ts'
import { Icon } from '../parts/icon.tsx'

/** The parts of this build that would judge calls and that its operator left out. */
export function MissingGuards() {
  const isAdmin = useMe()?.kind === 'admin'
  const { data } = useQuery({
    queryKey: ['settings'],
    queryFn: ({ signal }) => ask<{ readonly missing_guards?: readonly string[] }>('/v1/settings', { signal }),
    enabled: isAdmin,
    staleTime: Infinity,
  })
  const missing = data?.missing_guards ?? []
  return missing.length === 0 ? null : (
    <section className="card attention-quiet" aria-label="Missing guards" role="alert">
      <Icon name="warn" />
      <b>This build has no {missing.join(', ')}.</b>
      <span className="dim">Calls are judged without it.</span>
    </section>
  )
}
