import { z } from 'zod'
import { textsInFlow } from './answer-texts.ts'
import { actOnFlowRun, type FlowRunPorts } from './act-on-flow-run.ts'
import { flowSwitches } from './flow-switches.ts'
import { FLOW_ACTIONS, PointerKind, SkipReason } from './flows.ts'
import type { Json, JsonObject } from '../../kernel/contract/json.ts'
import { readerOf } from '../../adapters/mcp/exchange.ts'
import type { GuestTools, OwnTool } from '../../adapters/mcp/mcp-ports.ts'
import { failed, own } from '../../adapters/mcp/own-tool.ts'

const text = { type: 'string' } as const

/** The command checks the fields, so that every door gives the same error. Names in camelCase are accepted too. */
const Args = z.unknown().meta({
  type: 'object',
  required: ['action'],
  properties: {
    action: { type: 'string', enum: FLOW_ACTIONS },
    flow_id: text,
    version: text,
    run_id: text,
    step_id: text,
    status: {
      type: 'string',
      description: 'advance: in_progress, blocked, done, skipped. list: in_progress, done, abandoned',
    },
    skip_reason: { type: 'string', enum: SkipReason.options },
    evidence_ref: text,
    pointer_kind: { type: 'string', enum: PointerKind.options },
    allowed_lanes: { type: 'array', items: text },
    cost_cap_units: { type: 'integer' },
    ttl_seconds: { type: 'integer' },
    consent_id: text,
    model_lane: text,
    dry_run: { type: 'boolean' },
    intent: { type: 'string', description: 'submit_review: what the reviewer should decide' },
    reason: text,
    cursor: text,
    limit: { type: 'integer' },
    etag: text,
    vault_id: text,
  },
})

/** `flow_run`: every action on runs of flows. */
export const ownTools = (k: FlowRunPorts): GuestTools => ({
  tools: [flowRun(k)],
  on: async () => (await flowSwitches(k)).runs.on,
})

const flowRun = (k: FlowRunPorts): OwnTool =>
  own({
    name: 'flow_run',
    title: 'Work through a written procedure',
    description:
      'Starts, reads and advances runs of written procedures (flows), attaches evidence, executes automatable steps under a consent, and submits results for review.',
    writes: true,
    args: Args,
    async run(gate, exchange, args) {
      const { caller, trace } = exchange
      const found = await actOnFlowRun(k, caller, args as Json, { trace })
      const done = await gate.labelled(readerOf(exchange), found, (answer) => textsInFlow(answer, args as Json))
      if (!done.ok) return failed(done.problem)
      const answer = done.value as JsonObject
      return {
        result: {
          content: [{ type: 'text', text: JSON.stringify(answer) }],
          structuredContent: answer,
          isError: false,
        },
      }
    },
  })
