import type { HiddenPlace } from '../../kernel/contract/approval.ts'
import type { ToolResult } from '../../kernel/contract/call.ts'
import { type Json, type JsonObject, isJsonObject } from '../../kernel/contract/json.ts'
import { Bug, type Result } from '../../kernel/contract/problems.ts'
import { UNSCANNED, type ShownArgs } from '../../kernel/contract/redaction.ts'
import { visibleText } from '../../kernel/contract/visible-text.ts'
import { findInField, redactJson, type JsonMatch } from './redact-json.ts'
import { replaced } from './replace-matches.ts'
import { scanArgs, type ArgScan } from './scan-args.ts'
import { parsedArgs } from '../../kernel/attempt/call-args.ts'
import { findGuarded, type GuardedTexts } from './guarded-texts.ts'
import { compileOwn, type OwnCredentials } from './find-own.ts'
import { redactOwn } from './redact-own.ts'
import type { Trap } from './traps.ts'
import { canonicalJson } from '../../kernel/json/canonical.ts'
import { validateAgainst } from '../../kernel/json/validate-args.ts'
import type { ScanRules } from './scan-rules.ts'
import type { RuleSet } from '../../kernel/ports/scanner.ts'
import type { CompiledRules } from './compile-rules.ts'

/** What redaction hides in one part of a packet. */
function hiddenPlaces(part: HiddenPlace['in'], value: Json, rules: CompiledRules): HiddenPlace[] {
  return placesOf(part, redactJson(value, rules).findings)
}

/** A longer list would not be read. */
const MOST_PLACES = 200

/** The findings as places. Those beyond the limit become one place without a pointer. */
function placesOf(part: HiddenPlace['in'], findings: readonly JsonMatch[]): HiddenPlace[] {
  const lengthOf = ({ start, end }: JsonMatch) => end - start
  const places = findings
    .slice(0, MOST_PLACES)
    .map((finding): HiddenPlace => ({ in: part, at: finding.place, type: finding.type, length: lengthOf(finding) }))
  const rest = findings.slice(MOST_PLACES)
  if (rest.length === 0) return places
  const length = rest.reduce((sum, finding) => sum + lengthOf(finding), 0)
  return [...places, { in: part, at: '', type: `${rest.length}_MORE`, length }]
}

/** The same for a preview. Pictures and sounds are skipped. */
function hiddenInPreview({ content, structuredContent }: ToolResult, rules: CompiledRules): HiddenPlace[] {
  const texts: JsonObject = {
    content: content.map(withoutBytes),
    ...(structuredContent === undefined ? {} : { structuredContent }),
  }
  return hiddenPlaces('preview', texts, rules)
}

function withoutBytes({ data: _, ...block }: JsonObject): JsonObject {
  const { resource } = block
  if (!isJsonObject(resource)) return block
  const { blob: __, ...text } = resource
  return { ...block, resource: text }
}

/** A text, and the name of its field (empty if there is none). */
export type NamedText = { readonly name: string; readonly text: string }

/** One search or check, as data, so that another thread can do it. */
export type ScanJobs = {
  args: { readonly do: 'args'; readonly canonical_args: string }
  shown: { readonly do: 'shown'; readonly canonical_args: string }
  texts: { readonly do: 'texts'; readonly texts: readonly NamedText[]; readonly rules: RuleSet }
  preview: { readonly do: 'preview'; readonly preview: ToolResult }
  /** `known`: the exact texts of the gate's own credentials. */
  guarded: {
    readonly do: 'guarded'
    readonly canonical_args: string
    readonly known: readonly string[]
    readonly traps: readonly Trap[]
  }
  /** Escapes invisible characters. */
  visible: { readonly do: 'visible'; readonly text: string }
  redact_own: { readonly do: 'redact_own'; readonly texts: readonly NamedText[]; readonly known: readonly string[] }
  /** `key` determines the schema. `value` is JSON text. */
  validate: { readonly do: 'validate'; readonly schema: JsonObject; readonly key: string; readonly value: string }
}
export type ScanJob = ScanJobs[keyof ScanJobs]

type Answers = {
  args: ArgScan
  shown: ShownArgs
  texts: readonly string[]
  preview: readonly HiddenPlace[]
  guarded: GuardedTexts
  visible: { readonly text: string }
  redact_own: readonly string[]
  validate: Result<void>
}
export type ScanResult<J extends ScanJob> = Answers[J['do']]

const WORK: { readonly [K in keyof ScanJobs]: (job: ScanJobs[K], rules: ScanRules) => Answers[K] } = {
  args: ({ canonical_args }, rules) => scanArgs(parsedArgs(canonical_args), rules.args),
  shown({ canonical_args }, rules) {
    const { value, findings } = redactJson(JSON.parse(canonical_args) as Json, rules.shown)
    const text = canonicalJson(value)
    if (!text.ok) throw new Bug('redacted arguments have a canonical form')
    return { args: text.value, hidden: placesOf('proposed_args', findings) }
  },
  texts(job, rules) {
    const set = rules[job.rules]
    return job.texts.map(({ name, text }) => (set === undefined ? text : replaced(text, findInField(text, name, set))))
  },
  preview: ({ preview }, { outputs }) => (outputs === undefined ? [] : hiddenInPreview(preview, outputs)),
  guarded: ({ canonical_args, known, traps }) => findGuarded(JSON.parse(canonical_args) as Json, ownFrom(known), traps),
  visible: ({ text }) => ({ text: visibleText(text) }),
  redact_own: ({ texts, known }) => texts.map(({ text }) => redactOwn(text, ownFrom(known))),
  validate: ({ schema, key, value }) => validateAgainst(schema, key, JSON.parse(value) as Json),
}

let own: OwnCredentials = compileOwn([])

/** Compiled again when a key was rotated. */
function ownFrom(known: readonly string[]): OwnCredentials {
  const isSame = known.length === own.known.length && known.every((secret, at) => secret === own.known[at])
  return isSame ? own : (own = compileOwn(known))
}

/** Does one job synchronously. The same on every thread. */
export function runScanJob<J extends ScanJob>(job: J, rules: ScanRules): ScanResult<J> {
  const work: Readonly<Record<string, (job: never, rules: ScanRules) => Answers[keyof Answers]>> = WORK
  return work[job.do]?.(job as never, rules) as ScanResult<J>
}

/** How many characters there are to search. */
export function sizeOf(job: ScanJob): number {
  if (job.do === 'preview') return sizeOfPreview(job.preview)
  if (job.do === 'validate') return job.value.length
  if (job.do === 'visible') return job.text.length
  if (job.do !== 'texts' && job.do !== 'redact_own') return job.canonical_args.length
  return job.texts.reduce((sum, { text }) => sum + text.length, 0)
}

const sizeOfPreview = ({ content }: ToolResult): number =>
  content.reduce((sum, { text }) => sum + (typeof text === 'string' ? text.length : 0), 0)

/** Arguments that could not be searched, as people see them. */
export function hiddenArgs(canonical_args: string): ShownArgs {
  const hidden = [{ in: 'proposed_args', at: '', length: canonical_args.length, type: UNSCANNED } as const]
  return { args: JSON.stringify(`[REDACTED_${UNSCANNED}]`), hidden }
}

/** The same for a preview. */
export const hiddenPreview = (preview: ToolResult): readonly HiddenPlace[] => [
  { in: 'preview', at: '', length: sizeOfPreview(preview), type: UNSCANNED },
]
