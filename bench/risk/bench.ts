import { join } from 'node:path'
import { inferEffects } from '../../server/src/guests/risk/infer-effects.ts'
import type { ToolDefinition } from '../../server/src/kernel/contract/tool.ts'
import { columns, valuesOf, type Bench } from '../bench.ts'
import { labelledTools, type LabelledTool } from './labelled-tools.ts'
import { verbRule } from './verb-rule.ts'

/** Tools with effects that are described in harmless words, and reads that are described in alarming words, written for this bench; half of each was not looked at while the rules were written. */
const INNOCENT = join(import.meta.dirname, 'innocent-words.jsonl')
/**
 * More of them, written later: many domains, mostly tools with effects that begin with a reading verb. Each list was scored before any rule was
 * changed because of it, then used to find classes of misses, so these figures are in-sample (first contact: the decision on inference).
 */
const FRESH = join(import.meta.dirname, 'fresh-words.jsonl')
const DATA = join(import.meta.dirname, '../../../shared/data/risk-annotations/tools.jsonl.gz')

type Target = 'write' | 'destructive'
/** A rate over no tools at all is null. */
type Figures = { recall: number | null; fpr: number | null; positives: number; negatives: number }
type Row = { system: 'sluice' | 'verb_rule'; target: Target } & Figures
type Report = {
  bench: 'risk'
  rows: Row[]
  /** Of the tools in innocent words: `recall` is the share of acting ones not taken for reads, `fpr` that of reads asked about. */
  innocent: ({ set: 'innocent' | 'fresh'; half: 'development' | 'held-back'; system: Row['system'] } & Figures)[]
  /** Sluice on writes, per tool server. No weights are learned, so there is nothing to cross-validate: this shows the spread. */
  servers: ({ server: string; unknown: number } & Figures)[]
  /** Tools with identical definitions and different hints: no method can be right about all of them. */
  contradicted: { definitions: number; least_errors: number }
}

export const bench: Bench<Report> = {
  run(options) {
    const tools = labelledTools(valuesOf(options, '--data')[0] ?? DATA)
    const row = (system: Row['system'], target: Target): Row => ({
      system,
      target,
      ...figures(tools, target, SYSTEMS[system]),
    })
    return Promise.resolve({
      bench: 'risk',
      rows: [
        row('sluice', 'write'),
        row('verb_rule', 'write'),
        row('sluice', 'destructive'),
        row('verb_rule', 'destructive'),
      ],
      innocent: [...innocentRows('innocent', INNOCENT), ...innocentRows('fresh', FRESH)],
      servers: [...Map.groupBy(tools, (tool) => tool.group)].map(([server, group]) => ({
        server,
        ...figures(group, 'write', SYSTEMS.sluice),
        unknown: group.filter((tool) => inferEffects(tool.definition).effects.length === 0).length,
      })),
      contradicted: contradicted(tools),
    })
  },
  table({ rows, innocent, servers, contradicted }) {
    return [
      columns([
        ['system', 'recognises', 'recall', 'false positives', 'positives', 'negatives'],
        ...rows.map((row) => [row.system, row.target, share(row.recall), share(row.fpr), row.positives, row.negatives]),
      ]),
      columns([
        ['in innocent words', 'half', 'system', 'acting ones found', 'reads asked about', 'acting', 'reads'],
        ...innocent.map((row) => [
          row.set,
          row.half,
          row.system,
          share(row.recall),
          share(row.fpr),
          row.positives,
          row.negatives,
        ]),
      ]),
      columns([
        ['tool server', 'recall', 'false positives', 'writes', 'reads', 'of these unknown'],
        ...servers.map((row) => [
          row.server,
          share(row.recall),
          share(row.fpr),
          row.positives,
          row.negatives,
          row.unknown,
        ]),
      ]),
      `${contradicted.definitions} definitions carry both hints: at least ${contradicted.least_errors} errors for any method`,
    ].join('\n\n')
  },
}

type System = (definition: ToolDefinition, target: Target) => boolean

const SYSTEMS: Readonly<Record<Row['system'], System>> = {
  // The gate treats an unknown effect as a write.
  sluice: (definition, target) => {
    const { effects } = inferEffects(definition)
    return target === 'write' ? !effects.includes('read') : effects.includes('destructive')
  },
  verb_rule: ({ name }, target) => (target === 'write' ? verbRule.writes(name) : verbRule.destroys(name)),
}

function innocentRows(set: Report['innocent'][number]['set'], file: string): Report['innocent'] {
  const tools = labelledTools(file)
  return (['development', 'held-back'] as const).flatMap((half) => {
    const group = tools.filter((tool) => tool.group.endsWith(half))
    return (['sluice', 'verb_rule'] as const).map((system) => ({
      set,
      half,
      system,
      ...figures(group, 'write', SYSTEMS[system]),
    }))
  })
}

function figures(tools: readonly LabelledTool[], target: Target, says: System): Figures {
  const truth = (tool: LabelledTool): boolean | undefined => (target === 'write' ? tool.writes : tool.destroys)
  const positives = tools.filter((tool) => truth(tool) === true)
  const negatives = tools.filter((tool) => truth(tool) === false)
  const rate = (group: readonly LabelledTool[]): number | null =>
    group.length === 0 ? null : group.filter((tool) => says(tool.definition, target)).length / group.length
  return { recall: rate(positives), fpr: rate(negatives), positives: positives.length, negatives: negatives.length }
}

function contradicted(tools: readonly LabelledTool[]): Report['contradicted'] {
  const same = [...Map.groupBy(tools, (tool) => JSON.stringify(tool.definition)).values()]
  const torn = same.map((group) => {
    const writes = group.filter((tool) => tool.writes).length
    return Math.min(writes, group.length - writes)
  })
  return {
    definitions: torn.filter((errors) => errors > 0).length,
    least_errors: torn.reduce((sum, errors) => sum + errors, 0),
  }
}

const share = (value: number | null): string => value?.toFixed(3) ?? '-'
