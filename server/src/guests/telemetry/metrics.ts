import { problem } from '../../kernel/contract/problems.ts'
import { problemResponse } from '../../adapters/http/problem.ts'
import type { App } from '../../adapters/http/door.ts'
import { route } from '../../adapters/http/route.ts'

export type MetricsOptions = {
  readonly scrape: () => Promise<string>
  /** Requests from this machine need no key. */
  readonly open: boolean
}

const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/

/** The metrics page. It is only for operators, because it shows how many calls of which kind are made. */
export function metricsRoute(app: App, { scrape, open }: MetricsOptions): void {
  app.openapi(
    route({
      method: 'get',
      path: '/metrics',
      media: 'text/plain',
      access: open ? 'anyone' : ['admin', 'node'],
      summary: 'Metrics in the text format of Prometheus',
    }),
    async (c) => {
      const isHere = c.env.local || LOOPBACK.test(c.env.remote)
      if (open && !isHere) return problemResponse(problem('auth.missing'), c.get('trace'))
      return new Response(await scrape(), { headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' } })
    },
  )
}
