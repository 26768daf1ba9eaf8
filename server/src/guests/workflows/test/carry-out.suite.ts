import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { WorkflowRunView } from '../workflow.ts'
import { APPROVER, approveShown, effectsIn, orderRetry } from '../../../../test/helpers/with-gate.ts'
import { valueOf } from '../../toolflow/test/with-flows.suite.ts'
import { CRASH_DOCUMENT, CRASH_MESSAGE } from './crash-document.suite.ts'
import { openWorkflows, type WorkflowRig } from './with-workflows.suite.ts'

type Probe = NonNullable<Parameters<typeof openWorkflows>[1]>['probe']

/** A gate whose messages are recorded in the same file as the notes, so that one file shows all external effects. */
export async function openForCrash(folder: string, model: string, probe?: Probe): Promise<WorkflowRig> {
  const file = join(folder, 'effects.txt')
  return openWorkflows(folder, {
    config: { models: { agent: { provider: 'openai-compatible', url: `${model}/v1`, model: 'test' } } },
    ...(probe === undefined ? {} : { probe }),
    // A server of messages recognises one that it is sent again by its id.
    onSent({ id, text }) {
      if (!effectsIn(folder).some((line) => line.includes(id)))
        appendFileSync(file, `sent ${JSON.stringify({ id, text })}\n`)
    },
  })
}

/** Starts the run, or finds the one that was started before, and does whatever it waits for until it is over. */
export async function carryOut(rig: WorkflowRig): Promise<WorkflowRunView> {
  await rig.apply(CRASH_DOCUMENT)
  // The transport delivers the message again, as after every restart.
  const run_id = await rig.say(CRASH_MESSAGE, { id: 'one' })
  for (;;) {
    const view = await rig.rested(run_id)
    if (view.ended_at !== undefined || view.status === 'faulted') return view
    const [what, id = ''] = (view.waits_for ?? '').split(' ')
    if (what === 'approval') await approveShown(rig.gate, APPROVER, id)
    if (what === 'call') await settleByWitness(rig, id)
    // Reads are answered from memory, so without a pause nothing else in this process would run.
    await sleep(5)
  }
}

/** A person checks the book: an entry that is there was done, and one that is missing is retried. */
async function settleByWitness({ gate, effects }: WorkflowRig, call_id: string): Promise<void> {
  const { items } = valueOf(await gate.calls.listUnknown(APPROVER, { limit: 10 }))
  const row = items.find((one) => one.call_id === call_id)
  // Recovery, or a retry that was approved, may still be working on it.
  const request = row?.retry && valueOf(await gate.approvals.read(APPROVER, row.approval_id ?? ''))
  if (row === undefined || (request !== undefined && request.state !== 'pending')) return
  const { text = '' } = JSON.parse(row.canonical_args) as { readonly text?: string }
  const isDone = effects().some((line) => line.includes(JSON.stringify(text)))
  if (isDone) valueOf(await gate.calls.settle(APPROVER, call_id, 'done'))
  else valueOf(await approveShown(gate, APPROVER, request?.approval_id ?? (await orderRetry(gate, APPROVER, call_id))))
}
