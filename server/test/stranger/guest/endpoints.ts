import { z } from 'zod'
import { ADMINS } from '../../adapters/http/access.ts'
import { endpoint, type Endpoint } from '../../adapters/http/endpoint.ts'
import { ok } from '../../kernel/contract/problems.ts'
import type { Ledger } from '../../kernel/ports/ledger.ts'
import type { Clock, Ids } from '../../kernel/ports/runtime.ts'
import { beginRun } from '../../kernel/runs/begin-run.ts'
import { newRunChanges } from '../../kernel/runs/run-changes.ts'
import { greeting } from './greeting.ts'
import { refuse } from './problems.ts'

type GreetingPorts = { readonly ledger: Ledger; readonly clock: Clock; readonly ids: Ids }

export const endpoints = (k: GreetingPorts): readonly Endpoint[] => [
  endpoint({
    at: 'POST /v1/greetings',
    access: ADMINS,
    status: 202,
    says: 'Greet somebody',
    body: z.strictObject({ name: z.string().min(1).max(100) }),
    answers: z.object({ run_id: z.string() }),
    async run({ id }, { body }) {
      if (body.name === 'Scrooge') return refuse('greeting.unwanted', { name: body.name })
      const run_id = k.ids.run()
      const row = beginRun(greeting, run_id, { state: body }, k.clock(), { owner: id })
      const recorded = await k.ledger.commit(newRunChanges(row, { type: 'greeting.asked' }))
      return recorded === 'committed' ? ok({ run_id }) : refuse('audit.unavailable')
    },
  }),
]
