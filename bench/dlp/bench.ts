import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { compileRules } from '../../server/src/guests/content/compile-rules.ts'
import { findSensitive } from '../../server/src/guests/content/find-sensitive.ts'
import { redactText } from '../../server/src/guests/content/redact-text.ts'
import { BUILT_IN_RULES } from '../../server/src/guests/content/rules/built-in-rules.ts'
import { type Bench, columns, valuesOf } from '../bench.ts'
import { isNamed, isPersonal, questionOf, type Sample } from './labels.ts'
import { freshLines, ownLines } from './own-lines.ts'
import { samplesIn } from './samples.ts'
import { openSecretlint } from './secretlint.ts'

type Rates = { readonly recall: number; readonly fpr: number }
type SetReport = {
  readonly set: string
  readonly positives: number
  readonly negatives: number
  readonly systems: Readonly<Record<'sluice' | 'secretlint', Rates>>
}
type Report = {
  readonly bench: 'dlp'
  readonly sets: readonly SetReport[]
  /** Megabytes redacted per second of processor time: the samples, where every line holds something, and our own source code. */
  readonly mb_per_cpu_s: { readonly samples: number; readonly source: number }
}
type Found = (sample: Sample) => Promise<boolean>

const DATA = join(import.meta.dirname, '../../../shared/data/dlp')

/**
 * Are secrets and personal data found? Every sample is one text with one label.
 *
 * A positive counts as recalled when a finding answers the sample's question, a negative as a false positive when one does
 * (`labels.ts` says which findings answer which sample). secretlint finds only secrets: any message it reports counts.
 * Four sets of lines are our own (`own-lines.ts`): one half of each may be read when rules are written; the other half is only counted.
 * A set of personal data gives two rows: the entities that the specification names (e-mail, card, IP address, IBAN, phone), and
 * the rest under `_other`, for which we make no claim.
 */
export const bench: Bench<Report> = {
  needsPeers: true,

  async run(options) {
    const given = valuesOf(options, '--data')
    const files = given.length > 0 ? given : filesIn(DATA)
    const compiled = compileRules(BUILT_IN_RULES, [])
    if (!compiled.ok) throw new Error(`the built-in rules do not compile: ${JSON.stringify(compiled.problem)}`)
    const rules = compiled.value
    const secretlint = await openSecretlint()
    const systems: Record<'sluice' | 'secretlint', Found> = {
      sluice: (sample) => Promise.resolve(findSensitive(sample.text, rules).some(questionOf(sample))),
      secretlint: (sample) => secretlint(sample.text),
    }
    const sets: SetReport[] = []
    const texts: string[] = []
    for (const file of files) {
      const samples = samplesIn(file)
      texts.push(...samples.map((sample) => sample.text))
      for (const [set, part] of rowsOf(nameOf(file), samples)) sets.push(await measured(set, part, systems))
    }
    for (const half of given.length > 0 ? [] : (['development', 'held_back'] as const)) {
      sets.push(await measured(`own_${half}`, ownLines(half), systems))
      sets.push(await measured(`fresh_${half}`, freshLines(half), systems))
    }
    const redact = (text: string): unknown => redactText(text, rules)
    const speeds = { samples: throughput(texts, redact), source: throughput(sourceFiles(), redact) }
    return { bench: 'dlp', sets, mb_per_cpu_s: speeds }
  },

  table({ sets, mb_per_cpu_s }) {
    const rows = sets.map(({ set, positives, negatives, systems }) => [
      set,
      positives,
      negatives,
      ...[systems.sluice, systems.secretlint].flatMap(({ recall, fpr }) => [recall.toFixed(3), fpr.toFixed(3)]),
    ])
    const head = ['set', 'positives', 'negatives', 'sluice recall', 'fpr', 'secretlint recall', 'fpr']
    const { samples, source } = mb_per_cpu_s
    return `${columns([head, ...rows])}\n\nMB per second of processor time: ${samples.toFixed(1)} on these samples, ${source.toFixed(1)} on source code`
  },
}

function filesIn(folder: string): string[] {
  if (!existsSync(folder)) throw new Error('no samples: give some with `--data FILE...`')
  return readdirSync(folder)
    .filter((name) => /\.jsonl(?:\.gz)?$/.test(name))
    .map((name) => join(folder, name))
}

const nameOf = (file: string): string => basename(file).replace(/\.jsonl(?:\.gz)?$/, '')

function rowsOf(set: string, samples: readonly Sample[]): [string, readonly Sample[]][] {
  if (!samples.some(isPersonal)) return [[set, samples]]
  const rows: [string, readonly Sample[]][] = [
    [set, samples.filter(isNamed)],
    [`${set}_other`, samples.filter((sample) => !isNamed(sample))],
  ]
  return rows.filter(([, part]) => part.length > 0)
}

async function measured(
  set: string,
  samples: readonly Sample[],
  systems: Readonly<Record<'sluice' | 'secretlint', Found>>,
): Promise<SetReport> {
  const positives = samples.filter((sample) => sample.label === 'positive')
  const negatives = samples.filter((sample) => sample.label === 'negative')
  const rates = async (found: Found): Promise<Rates> => ({
    recall: await share(positives, found),
    fpr: await share(negatives, found),
  })
  return {
    set,
    positives: positives.length,
    negatives: negatives.length,
    systems: { sluice: await rates(systems.sluice), secretlint: await rates(systems.secretlint) },
  }
}

/** The share of samples in which something was found; 0 of none is 0. */
async function share(samples: readonly Sample[], found: Found): Promise<number> {
  let count = 0
  for (const sample of samples) if (await found(sample)) count += 1
  return samples.length === 0 ? 0 : count / samples.length
}

function sourceFiles(): string[] {
  const root = join(import.meta.dirname, '../../server/src')
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(root, name), 'utf8'))
}

function throughput(texts: readonly string[], redact: (text: string) => unknown): number {
  const once = texts.join('\n')
  const text = once.repeat(Math.max(1, Math.ceil(2_000_000 / Math.max(1, once.length))))
  redact(once) // the first run compiles
  const before = process.cpuUsage()
  redact(text)
  const { user, system } = process.cpuUsage(before)
  return text.length / (user + system)
}
