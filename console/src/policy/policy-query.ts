import { queryOptions } from '@tanstack/react-query'
import type { PolicyFault, Rule } from '../../../server/src/kernel/contract/policy.ts'
import type { Effect, Strength } from '../../../server/src/kernel/contract/verdict.ts'
import { ask } from '../api/client.ts'

export type ShownRule = {
  readonly layer: 'operator' | 'preset'
  readonly id: string
  readonly effect: Effect
  readonly strength?: Strength
  readonly preview?: boolean
  readonly source: string
  readonly match: Readonly<Record<string, unknown>>
  readonly when?: string
  readonly says: string
  readonly reads: string
}

export type CurrentPolicy = {
  readonly version: string
  readonly file: string
  readonly preset: string
  readonly mode: string
  readonly rules: readonly ShownRule[]
  readonly since: number
  readonly notices: readonly { readonly at: number; readonly says: string; readonly faults: readonly PolicyFault[] }[]
}

export const policyQuery = queryOptions({
  queryKey: ['policy'],
  queryFn: ({ signal }) => ask<CurrentPolicy>('/v1/policies', { signal }),
})

/** As it is written, with its comments: what a draft starts from. */
export const policyTextQuery = (version: string) =>
  queryOptions({
    queryKey: ['policy', 'text', version],
    queryFn: ({ signal }) => ask<{ readonly text: string; readonly version: string }>('/v1/policies/text', { signal }),
  })

type Answer = { readonly effect: Effect; readonly strength?: Strength; readonly rules: readonly string[] }

export type ShownReplay = {
  readonly since: number
  readonly calls: number
  readonly judged: number
  readonly not_replayable: number
  readonly more: boolean
  readonly sums: Readonly<Record<string, number>>
  readonly changes: readonly {
    readonly call_id: string
    readonly tool_id: string
    readonly way: 'stricter' | 'looser'
    readonly from: Answer
    readonly to: Answer
    readonly received_at: number
  }[]
  readonly left_off: number
}

export type PolicyDiff = {
  readonly rules: {
    readonly same: boolean
    readonly added: readonly { readonly rule: Rule }[]
    readonly removed: readonly { readonly rule: Rule }[]
    readonly changed: readonly { readonly id: string; readonly parts: readonly string[] }[]
  }
  readonly replay?: ShownReplay
}

export type ShownLint = {
  readonly findings: readonly {
    readonly kind: string
    readonly rules: readonly string[]
    readonly says: string
    readonly example: unknown
  }[]
  readonly depth: string
}

export type PolicyTestReport = {
  readonly passed: number
  readonly failed: number
  readonly results: readonly {
    readonly name: string
    readonly passed: boolean
    readonly expected: { readonly effect: Effect }
    readonly answer: { readonly effect: Effect }
  }[]
}
