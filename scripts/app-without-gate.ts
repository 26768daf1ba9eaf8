import type { Gate } from '../server/src/main/gate.ts'
import { packageVersion } from '../server/src/main/package-version.ts'
import { refuse } from '../server/src/kernel/contract/problems.ts'
import { httpApp } from '../server/src/adapters/http/app.ts'
import type { App } from '../server/src/adapters/http/door.ts'

/** The HTTP door without a gate, for scripts that only need its list of routes. */
export function appWithoutGate(): App {
  const absent: ProxyHandler<object> = {
    get() {
      throw new Error('there is no gate behind this door')
    },
  }
  return httpApp({
    gate: new Proxy({}, absent) as Gate,
    version: packageVersion(),
    authenticate: async () => refuse('auth.missing'),
    newTrace: () => '',
    hosts: [],
    stopping: new AbortController().signal,
    metrics: { scrape: async () => '', open: false },
    onIncident: (error) => (error instanceof Error ? (error.stack ?? '') : String(error)),
  })
}
