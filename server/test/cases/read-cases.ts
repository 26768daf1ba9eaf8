import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parse } from 'yaml'
import type { CallerKind } from '../../src/kernel/contract/caller.ts'
import type { Json } from '../../src/kernel/contract/json.ts'
import type { RiskClass, ToolEffect } from '../../src/kernel/contract/tool.ts'
import type { Effect, Strength } from '../../src/kernel/contract/verdict.ts'

const CASES = resolve(import.meta.dirname, '../../src/kernel/decide/cases')

/** The tool servers, keys and arguments that a case needs. `runCases` has already checked the format. */
export type GateCase = {
  readonly file: string
  readonly name: string
  readonly policy: { readonly preset?: string }
  readonly tool: { id: string; effects: ToolEffect[]; risk: RiskClass; tags: string[]; sandboxed?: boolean }
  readonly args: Json
  readonly facts?: { readonly approvers?: number; readonly labels?: readonly string[] }
  readonly caller: { readonly id: string; readonly role: CallerKind; readonly user: string }
  /** The policy's own term. */
  readonly expected: { readonly effect: Effect; readonly strength?: Strength; readonly rule?: string }
}

type Written = Omit<GateCase, 'file' | 'args' | 'expected' | 'caller'> & {
  readonly call?: { readonly args?: Json }
  readonly caller?: GateCase['caller']
  readonly verdict: Effect | GateCase['expected']
}

export const caseFiles = (): readonly { readonly file: string; readonly text: string }[] =>
  readdirSync(CASES)
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .map((file) => ({ file, text: readFileSync(join(CASES, file), 'utf8') }))

export const readCases = (): readonly GateCase[] =>
  caseFiles().flatMap(({ file, text }) =>
    (parse(text) as Written[]).map(({ name, policy, tool, call, caller, facts, verdict }) => ({
      file,
      name,
      policy,
      tool: { ...tool, tags: tool.tags ?? [] },
      args: call?.args ?? {},
      ...(facts === undefined ? {} : { facts }),
      caller: caller ?? { id: 'agent:test', role: 'agent', user: 'test' },
      expected: typeof verdict === 'string' ? { effect: verdict } : verdict,
    })),
  )

/** In observe mode the gate lets the call run and records what it would have said. */
export function gateVerdict({ policy, expected }: GateCase) {
  const { effect, strength } = expected
  if (policy.preset === 'observe') return { effect: 'allow', observed: effect } as const
  return strength === undefined ? { effect } : { effect, strength }
}
