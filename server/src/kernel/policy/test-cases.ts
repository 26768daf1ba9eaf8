import { issueWords } from '../contract/issue-lines.ts'
import { z } from 'zod'
import { CallerKind } from '../contract/caller.ts'
import type { PolicyFault } from '../contract/policy.ts'
import { RiskClass, type Tool, ToolEffect } from '../contract/tool.ts'
import { Effect, type Opinion, Strength } from '../contract/verdict.ts'
import { routeFaults } from '../contract/route-faults.ts'
import { RouteSettings, type ChosenRoute } from '../contract/routes.ts'
import { compileRoutes, NO_ROUTES, routeFact, strongestOf, type ApprovalRoutes } from '../approvals/routes/routes.ts'
import { peopleNeeded } from '../approvals/routes/seats.ts'
import type { RouteFact } from '../decide/facts.ts'
import { type CombinedEffect, combineOpinions } from './combine-opinions.ts'
import { compilePolicy, type PolicyOptions } from './compile-policy.ts'
import { momentOf } from './condition/time.ts'
import { callFrom } from './described-call.ts'
import { judgePolicy } from './judge-policy.ts'
import { byPlace, type LocatedYaml, locateYaml, type YamlPath } from './located-yaml.ts'
import type { Policy } from './policy.ts'

const StatedTool = z.strictObject({
  id: z.string().regex(/^.+?__.+$/, 'a tool id is `server__tool`'),
  effects: z.array(ToolEffect).min(1),
  risk: RiskClass,
  tags: z.array(z.string()).default([]),
  sandboxed: z.boolean().default(false),
})
const StatedCaller = z.strictObject({ id: z.string().min(1), role: CallerKind, user: z.string().min(1) })
const StatedFacts = z.strictObject({
  /** `2026-01-31T09:30Z`, or milliseconds since 1970. */
  now: z
    .union([z.number(), z.string().refine((text) => momentOf(text) !== undefined, 'write `2026-01-31T09:30Z`')])
    .optional(),
  lane: z.string().optional(),
  labels: z.array(z.string()).optional(),
  approvers: z.number().int().min(0).optional(),
})

/** One expectation. Whatever a case does not state is that of an ordinary call by an ordinary agent. */
const Case = z.strictObject({
  name: z.string().min(1),
  /** A policy to use instead of the one under test. */
  policy: z.record(z.string(), z.unknown()).optional(),
  /** A catalogue tool by its id, or one described here. */
  tool: z.union([z.string().min(1), StatedTool]),
  call: z.strictObject({ args: z.json().default({}), thread: z.string().optional() }).prefault({}),
  caller: StatedCaller.default({ id: 'agent:test', role: 'agent', user: 'test' }),
  facts: StatedFacts.default({}),
  /** Routes and groups to use instead of the active ones. */
  approvals: z.strictObject(RouteSettings).optional(),
  verdict: z.union([
    Effect,
    z.strictObject({
      effect: Effect,
      strength: Strength.optional(),
      rule: z.string().optional(),
      /** Who is asked: the id of the route, or null for every approver. */
      route: z.string().nullable().optional(),
      group: z.string().optional(),
      people: z.int().optional(),
    }),
  ]),
})
type Case = z.infer<typeof Case>

type Expected = {
  readonly effect: Effect
  readonly strength?: Strength
  readonly rule?: string
  readonly route?: string | null
  readonly group?: string
  readonly people?: number
}

export type CaseResult = {
  readonly name: string
  readonly source: string
  readonly passed: boolean
  readonly expected: Expected
  readonly answer: CombinedEffect
  /** For an ask, if a route matches. */
  readonly asked?: ChosenRoute
  readonly opinions: readonly Opinion[]
}

export type CaseOptions = Omit<PolicyOptions, 'at'> & {
  readonly policy: Policy
  /** The routes for cases that do not state their own. */
  readonly routes?: ApprovalRoutes
  /** The catalogue, for cases that name a tool only by its id. */
  readonly tools?: (
    tool_id: string,
  ) =>
    (Pick<Tool, 'effects' | 'risk'> & { readonly tags?: readonly string[]; readonly sandboxed?: boolean }) | undefined
}

export type RanCases =
  | { readonly ok: true; readonly results: readonly CaseResult[] }
  | { readonly ok: false; readonly faults: readonly PolicyFault[] }

type Source = { readonly text: string; readonly file: string }
type JudgedCase =
  { readonly ok: true; readonly result: CaseResult } | { readonly ok: false; readonly faults: readonly PolicyFault[] }

/** Runs every case of a YAML list. If any case is invalid, none is run. */
export function runCases(source: Source, options: CaseOptions): RanCases {
  const { file } = source
  const located = locateYaml(source.text)
  if (!located.ok) return { ok: false, faults: located.faults.map((fault) => ({ file, ...fault })) }
  const { yaml } = located
  const read = z.array(Case).min(1).safeParse(yaml.value)
  if (!read.success) {
    const faults = read.error.issues.flatMap((issue) => faultsOf(issue, yaml, []))
    return { ok: false, faults: faults.map((fault) => ({ file, ...fault })).sort(byPlace) }
  }
  const judged = read.data.map((stated, at) => runCase(stated, at, source, yaml, options))
  const faults = judged.flatMap((one) => (one.ok ? [] : one.faults))
  if (faults.length > 0) return { ok: false, faults }
  return { ok: true, results: judged.flatMap((one) => (one.ok ? [one.result] : [])) }
}

function runCase(stated: Case, at: number, source: Source, yaml: LocatedYaml, options: CaseOptions): JudgedCase {
  const compiled =
    stated.policy === undefined
      ? { ok: true as const, value: options.policy }
      : compilePolicy(source, { ...options, at: [at, 'policy'] })
  if (!compiled.ok) return compiled
  const tool = toolOf(stated.tool, options)
  if (tool === undefined) {
    const says = `the tool \`${typeof stated.tool === 'string' ? stated.tool : stated.tool.id}\` is not in the catalogue`
    const instead = 'write `{ id: server__tool, effects: [read], risk: low }`'
    return { ok: false, faults: [{ file: source.file, ...yaml.placeOf([at, 'tool']), says, instead }] }
  }
  const { now, lane, labels, approvers } = stated.facts
  const { call, facts } = callFrom({
    tool: tool.id,
    effects: tool.effects,
    risk: tool.risk,
    tags: tool.tags,
    sandboxed: tool.sandboxed,
    ...(approvers === undefined ? {} : { approvers }),
    caller: stated.caller.id,
    role: stated.caller.role,
    user: stated.caller.user,
    args: stated.call.args,
    now: typeof now === 'string' ? (momentOf(now) ?? 0) : (now ?? 0),
    ...(stated.call.thread === undefined ? {} : { thread: stated.call.thread }),
    ...(lane === undefined ? {} : { lane }),
    ...(labels === undefined ? {} : { labels }),
  })
  const routeFound = routesOf(stated, at, source, yaml, options)
  if (!routeFound.ok) return routeFound
  const opinions = judgePolicy(compiled.value, call, facts)
  const { answer, asked } = withRoute(combineOpinions(opinions), routeFact(routeFound.routes, call, facts.tool))
  const expected = expectedOf(stated.verdict)
  const passed = isExpected(expected, answer, asked)
  const result = {
    name: stated.name,
    source: `${source.file}:${yaml.placeOf([at]).line}`,
    passed,
    expected,
    answer,
    ...(asked === undefined ? {} : { asked }),
    opinions,
  }
  return { ok: true, result }
}

type FoundRoutes =
  | { readonly ok: true; readonly routes: ApprovalRoutes }
  | { readonly ok: false; readonly faults: readonly PolicyFault[] }

function routesOf(
  { approvals }: Case,
  at: number,
  { file }: Source,
  yaml: LocatedYaml,
  { routes = NO_ROUTES }: CaseOptions,
): FoundRoutes {
  if (approvals === undefined) return { ok: true, routes }
  const faults = routeFaults(approvals)
  if (faults.length === 0) return { ok: true, routes: compileRoutes(approvals) }
  const instead = 'see docs/approve.md for the form of a route'
  return {
    ok: false,
    faults: faults.map(({ path, message }) => ({ file, ...yaml.placeOf([at, ...path]), says: message, instead })),
  }
}

/** Only an ask has a route, and a route can only make it stricter. */
function withRoute(
  answer: CombinedEffect,
  route: RouteFact | undefined,
): { answer: CombinedEffect; asked?: ChosenRoute } {
  if (answer.effect !== 'ask' || route === undefined) return { answer }
  return { answer: { ...answer, strength: strongestOf(answer.strength, route) }, asked: route.chosen }
}

function expectedOf(verdict: Case['verdict']): Expected {
  if (typeof verdict === 'string') return { effect: verdict }
  const stated = Object.entries(verdict).filter(([, value]) => value !== undefined)
  return Object.fromEntries(stated) as Expected
}

function isExpected(expected: Expected, answer: CombinedEffect, asked: ChosenRoute | undefined): boolean {
  const { effect, strength, rule, route, group, people } = expected
  return (
    answer.effect === effect &&
    (strength === undefined || answer.strength === strength) &&
    (rule === undefined || answer.rules.includes(rule)) &&
    (route === undefined || (asked?.id ?? null) === route) &&
    (group === undefined || asked?.group === group) &&
    (people === undefined || peopleNeeded({ route: asked, strength: answer.strength }) === people)
  )
}

function toolOf(stated: Case['tool'], { tools }: CaseOptions): z.infer<typeof StatedTool> | undefined {
  if (typeof stated !== 'string') return stated
  const known = tools?.(stated)
  return known === undefined
    ? undefined
    : {
        id: stated,
        effects: [...known.effects],
        risk: known.risk,
        tags: [...(known.tags ?? [])],
        sandboxed: known.sandboxed ?? false,
      }
}

function faultsOf(issue: z.core.$ZodIssue, yaml: LocatedYaml, above: YamlPath): Omit<PolicyFault, 'file'>[] {
  const path: YamlPath = [...above, ...issue.path.map((step) => (typeof step === 'number' ? step : String(step)))]
  if (issue.code === 'invalid_union') {
    // Report the alternative that the author used.
    const meant =
      issue.errors.find((branch) => !branch.some((inner) => inner.path.length === 0)) ?? issue.errors[0] ?? []
    return meant.flatMap((inner) => faultsOf(inner, yaml, path))
  }
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      ...yaml.placeOfKey(path, key),
      says: `unknown key \`${key}\``,
      instead: 'leave it out, or see docs/policy.md for the keys of a case',
    }))
  }
  const name = path.filter((step) => typeof step === 'string').join('.')
  const says = `${name === '' ? 'the file' : `\`${name}\``}: ${issueWords(issue)}`
  return [{ ...yaml.placeOf(path), says, instead: 'see docs/policy.md for the format of a case' }]
}
