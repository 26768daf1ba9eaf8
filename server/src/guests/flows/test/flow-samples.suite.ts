import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Caller } from '../../../kernel/contract/caller.ts'
import type { JsonObject } from '../../../kernel/contract/json.ts'

/** People and programs of these tests. Ana may decide approvals; her agent acts for her. */
export const ANA: Caller = { kind: 'approver', id: 'approver:ana', user: 'ana', flow_role: 'editor' }
export const HER_AGENT: Caller = { kind: 'agent', id: 'agent:a', user: 'ana', flow_role: 'editor' }
export const BEN: Caller = { kind: 'user', id: 'user:ben', user: 'ben', flow_role: 'editor' }
export const VIEWER: Caller = { kind: 'user', id: 'user:vera', user: 'vera' }
export const REVIEWER: Caller = { kind: 'reviewer', id: 'reviewer:rita', user: 'rita', flow_role: 'editor' }
export const OWNER: Caller = { kind: 'admin', id: 'admin:local', user: 'local' }

type Kind = 'human_review' | 'artifact_exists' | 'value_match' | 'test_pass' | 'agent_check'
export type StepSketch = {
  readonly kind?: Kind
  readonly required?: boolean
  readonly automatable?: 'manual' | 'agent_assisted' | 'automatable'
  readonly skills?: readonly { readonly kind: string; readonly id: string }[]
  readonly job?: string
  readonly description?: string
}

export function bundleOf(
  flow_id: string,
  steps: readonly StepSketch[],
  more: { readonly scope?: string; readonly version?: string; readonly base_version?: string } = {},
): JsonObject {
  const { scope = 'project', version = '1.0.0', base_version } = more
  return {
    flow: { flow_id, title: flow_id, version, scope, steps: steps.map((_, at) => `${flow_id}#${at + 1}`) },
    steps: steps.map((step, at) => ({
      step_id: `${flow_id}#${at + 1}`,
      flow_id,
      ordinal: at + 1,
      owned_job: step.job ?? `job ${at + 1}`,
      instruction: 'do it',
      skill_refs: step.skills ?? [],
      verification: {
        kind: step.kind ?? 'artifact_exists',
        evidence_required: step.required ?? false,
        description: step.description ?? '',
      },
      automatable: step.automatable ?? 'manual',
    })),
    ...(base_version === undefined ? {} : { base_version }),
  }
}

export const PACK = { kind: 'skill_pack', id: 'notes' } as const
export const HELD_PACK = { kind: 'skill_pack', id: 'held' } as const
export const WIPE_PACK = { kind: 'skill_pack', id: 'wiping' } as const

/** What the scripted model does, by the job of a step. */
const SCRIPT = {
  rules: [
    { when: '#\\d+ look', calls: [{ tool: 'book__look' }], answer: 'I saw: {{result}}' },
    { when: '#\\d+ note', calls: [{ tool: 'book__note', args: { text: 'by a flow' } }], answer: 'Noted: {{result}}' },
    { when: '#\\d+ wipe', calls: [{ tool: 'book__wipe', args: { text: 'all' } }], answer: 'It said: {{result}}' },
    {
      when: '#\\d+ many',
      calls: [1, 2, 3].map((n) => ({ tool: 'book__note_again', args: { text: `n${n}` } })),
      answer: 'three notes',
    },
    { when: '#\\d+ slow', calls: [{ tool: 'book__slow_note', args: { text: 's', ms: 300 } }], answer: 'slow note' },
    { when: '#\\d+ foreign', calls: [{ tool: 'book__wipe', args: { text: 'x' } }], answer: 'never' },
    // Matches only if the model got the prompt.
    { when: '#\\d+ greet[\\s\\S]*shelf greets you', calls: [], answer: 'Greeted.' },
    { when: '#\\d+ wrong', calls: [{ tool: 'book__look' }], answer: 'wrong', check: 'FAIL' },
  ],
}

/** Configuration for a gate whose flows use the book. */
export const FLOW_CONFIG = {
  models: { script: './script.yaml' },
  repetition: { most: 1_000 },
  flows: {
    skill_packs: {
      notes: ['book__look', 'book__note', 'book__note_again', 'book__slow_note'],
      held: ['book__note'],
      wiping: ['book__wipe', 'book__look'],
    },
    grants: [
      { user: 'granted', scopes: ['org'] },
      { user: 'unsure', scopes: ['org'] },
      { user: 'unsure', scopes: ['personal'] },
    ],
  },
}

export const ON = { flow_run_writes_enabled: true, execution: { automatable_enabled: true } }

/** Writes the script next to the configuration, and the switches to the data folder. */
export function prepareFlows(folder: string, data: string, policy: object | string = ON): void {
  writeFileSync(join(folder, 'script.yaml'), JSON.stringify(SCRIPT))
  mkdirSync(data, { recursive: true, mode: 0o700 })
  setFlowPolicy(data, policy)
}

export const setFlowPolicy = (data: string, policy: object | string): void =>
  writeFileSync(
    join(data, 'hub_flow_execution_policy.json'),
    typeof policy === 'string' ? policy : JSON.stringify(policy),
  )
