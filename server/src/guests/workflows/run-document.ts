import { mayChangeDocuments } from './apply-document.ts'
import type { Caller } from '../../kernel/contract/caller.ts'
import { isJsonObject, type Json } from '../../kernel/contract/json.ts'
import { ok, type Result } from '../../kernel/contract/problems.ts'
import type { RunWorkflowBody } from './workflow.ts'
import { schemaFault, type TakePorts } from './take-message.ts'
import { runOfDelivery, startRun } from './start-run.ts'
import { refuse } from './problems.ts'

/** Starts a protocol by hand, with a given input. Everything after the trigger is the same. */
export async function runDocument(
  deps: TakePorts,
  by: Caller,
  name: string,
  body: RunWorkflowBody,
  idempotency_key?: string,
): Promise<Result<{ readonly run_id: string }>> {
  const allowed = mayChangeDocuments(by)
  if (!allowed.ok) return allowed
  const closed = deps.intake.closedBy()
  if (closed !== undefined) return { ok: false, problem: closed }
  const head = (await deps.documents.head(name))?.row
  const opened = head === undefined ? undefined : await deps.documents.version(name, head.current)
  if (head === undefined || opened === undefined) return refuse('workflow.unknown', { name })
  const { protocols } = opened.document.workflow
  const protocol =
    body.protocol === undefined && protocols.length === 1
      ? protocols[0]
      : protocols.find(({ id }) => id === body.protocol)
  if (protocol === undefined)
    return refuse('workflow.unknown', {
      name,
      protocol: body.protocol ?? `one of ${protocols.map(({ id }) => id).join(', ')}`,
    })
  const input = body.input as Json
  if (!isJsonObject(input)) return refuse('workflow.schema_validation', { paths: 'the input is a JSON object' })
  const invalid = await schemaFault(deps, opened, protocol, input)
  if (invalid !== undefined) return refuse('workflow.schema_validation', { paths: invalid })
  const delivery = JSON.stringify(['manual', by.id, by.user, name, idempotency_key ?? deps.ids.trace()])
  const started = await startRun(deps, {
    head,
    opened,
    protocol,
    input,
    trigger: { type: 'manual', sender: null, room: null, source: null, message: JSON.stringify(input) },
    trace: deps.ids.trace(),
    about: { by: by.id },
    actor: by.id,
    delivery,
    run_id: runOfDelivery(deps, delivery),
  })
  if (started.is === 'unrecorded') return { ok: false, problem: started.problem }
  return started.is === 'refused'
    ? refuse('workflow.limit_exceeded', { limit: started.says })
    : ok({ run_id: started.run_id })
}
