import { refuse } from '../../kernel/contract/problems.ts'
import { endpoint, type Endpoint } from '../../adapters/http/endpoint.ts'

export type Metrics = {
  readonly scrape: () => Promise<string>
  /** Requests from this machine need no key. */
  readonly open: boolean
}

const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/

/** The metrics page. It is only for operators, because it shows how many calls of which kind are made. */
export const endpoints = ({ metrics: { scrape, open } }: { readonly metrics: Metrics }): readonly Endpoint[] => [
  endpoint({
    at: 'GET /metrics',
    access: open ? 'anyone' : ['admin', 'node'],
    says: 'Metrics in the text format of Prometheus',
    media: 'text/plain',
    async run(_, { local, remote }) {
      if (open && !local && !LOOPBACK.test(remote)) return refuse('auth.missing')
      return new Response(await scrape(), { headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' } })
    },
  }),
]
