import { applyDocument } from '../apply-document.ts'
import { readWorkflowRun } from '../read-documents.ts'
import { openGate } from '../../../main/open-gate.ts'
import type { GateOptions } from '../../../main/gate-options.ts'
import type { OutgoingMessage } from '../../../kernel/ports/transports.ts'
import type { WorkflowRunView } from '../workflow.ts'
import { inProcessTransport, type InProcessTransport } from '../in-process-transport.ts'
import { ADMIN, effectsIn, settingsIn, until } from '../../../../test/helpers/with-gate.ts'
import type { BoundPorts } from '../../../kernel/ports/bound-ports.ts'
import { gateOf, type Gate } from '../../../../test/helpers/use-gate.ts'
import { valueOf } from '../../toolflow/test/with-flows.suite.ts'

export const POLICY = `
rules:
  - { id: notes, effect: allow, match: { server: [book, messages] }, says: harmless }
`

export type WorkflowRig = {
  readonly gate: Gate
  readonly ports: BoundPorts
  readonly transport: InProcessTransport
  readonly effects: () => readonly string[]
  apply(text: string): Promise<number>
  /** The run that a message starts. */
  say(text: string, more?: { readonly sender?: string; readonly room?: string; readonly id?: string }): Promise<string>
  /** Until it is over, or waits for somebody. */
  rested(run_id: string): Promise<WorkflowRunView>
  ended(run_id: string): Promise<WorkflowRunView>
  close(): Promise<void>
}

export async function openWorkflows(
  folder: string,
  options: {
    config?: object
    policy?: string
    probe?: GateOptions['probe']
    around?: GateOptions['around']
    /** False: only those of the configuration. */
    transport?: false
    log?: GateOptions['log']
    server?: object
    onSent?: (message: OutgoingMessage) => void
  } = {},
): Promise<WorkflowRig> {
  const transport = inProcessTransport()
  transport.onSent((message) => options.onSent?.(message))
  const settings = settingsIn(folder, {
    policy: options.policy ?? POLICY,
    config: { repetition: { most: 1_000 }, ...options.config },
    ...(options.server === undefined ? {} : { server: options.server }),
  })
  const opened = await openGate(settings, {
    log: options.log ?? (() => {}),
    url: () => 'http://gate.test',
    transports: options.transport === false ? [] : [transport],
    ...(options.probe === undefined ? {} : { probe: options.probe }),
    ...(options.around === undefined ? {} : { around: options.around }),
  })
  if (!opened.ok) throw new Error(JSON.stringify(opened.problem))
  await opened.value.settled
  const { ports } = opened.value
  const read = async (run_id: string) => valueOf(await readWorkflowRun(ports, ADMIN, run_id, 10_000))
  return {
    gate: gateOf(opened.value),
    ports,
    transport,
    effects: () => effectsIn(folder),
    apply: async (text) => valueOf(await applyDocument(ports, ADMIN, text)).version,
    async say(text, { sender = '@boss:test', room = '!office:test', ...more } = {}) {
      const taken = await transport.say({ agent: 'clerk', room, sender, text, ...more })
      const [first] = taken === 'later' ? [] : taken
      if (first?.is !== 'started') throw new Error(JSON.stringify(taken))
      return first.run_id
    },
    async rested(run_id) {
      let view = await read(run_id)
      await until(async () => {
        view = await read(run_id)
        return view.status !== 'active' && (view.status !== 'waiting' || view.waits_for !== undefined)
      })
      return view
    },
    async ended(run_id) {
      let view = await read(run_id)
      await until(async () => {
        view = await read(run_id)
        return view.ended_at !== undefined
      })
      return view
    },
    close: () => opened.value.close(),
  }
}
