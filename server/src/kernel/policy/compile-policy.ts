import { INPUTS_KEY } from '../approvals/asks.ts'
import type { JsonObject } from '../contract/json.ts'
import { PolicyFile, type PolicyFault, type Preset, type Rule } from '../contract/policy.ts'
import { Bug } from '../contract/problems.ts'
import { checkCondition, type Condition } from './condition/condition.ts'
import { ANY, STRING, type Type, typeOfSchema } from './condition/type.ts'
import { byPlace, type LocatedYaml, locateYaml, type YamlPath } from './located-yaml.ts'
import { compileMatch } from './match.ts'
import type { CompiledRule, Layer, Policy } from './policy.ts'
import { faultsOfIssue, valueAt } from './policy-faults.ts'
import { PRESETS } from './presets.ts'
import { indexRules } from './rule-index.ts'

export type PolicySourceText = { readonly text: string; readonly file: string }
export type PolicyOptions = {
  /** SHA-256 in hex. */
  readonly digest: (text: string) => string
  /** The path of the policy within the document, if it is embedded in another file. */
  readonly at?: YamlPath
  /** The currently known input schemas. If a rule names one of these tools, its condition is checked against the schema. */
  readonly schemas?: (tool_id: string) => JsonObject | undefined
}
export type CompiledPolicy =
  { readonly ok: true; readonly value: Policy } | { readonly ok: false; readonly faults: readonly PolicyFault[] }

type Fault = Omit<PolicyFault, 'file'>

/** Parses, checks and compiles a policy. Reports every mistake, in file order. */
export function compilePolicy({ text, file }: PolicySourceText, options: PolicyOptions): CompiledPolicy {
  const failed = (faults: readonly Fault[]): CompiledPolicy => ({
    ok: false,
    faults: faults.map((fault) => ({ file, ...fault })).sort(byPlace),
  })
  const located = locateYaml(text)
  if (!located.ok) return failed(located.faults)
  const { yaml } = located
  const root = options.at ?? []
  const value = valueAt(yaml.value, root)
  const read = PolicyFile.safeParse(value)
  const faults = read.success ? [] : read.error.issues.flatMap((issue) => faultsOfIssue(issue, yaml, root))
  const operator: CompiledRule[] = []
  for (const [order, rule] of rulesIn(value).entries()) {
    const at = [...root, 'rules', order]
    const when = readCondition(rule, [...at, 'when'], yaml, options, faults)
    const source = `${file}:${yaml.placeOf(at).line}`
    const sound = read.success ? read.data.rules[order] : undefined
    if (sound !== undefined) operator.push(compileRule(sound, source, order, when))
  }
  faults.push(
    ...repeatedIds(rulesIn(value), yaml, root),
    ...misplacedStrengths(rulesIn(value), yaml, root),
    ...misplacedPreviews(rulesIn(value), yaml, root),
  )
  if (!read.success || faults.length > 0) return failed(faults)
  const { preset } = read.data
  const mode = preset === 'observe' ? 'observe' : 'enforce'
  const fallback = presetLayer(preset)
  return {
    ok: true,
    value: { version: options.digest(text), file, preset, mode, operator: layerOf(operator), fallback },
  }
}

const layerOf = (rules: readonly CompiledRule[]): Layer => ({ rules, index: indexRules(rules) })

function compileRule(rule: Rule, source: string, order: number, when: Condition | undefined): CompiledRule {
  const compiled = { rule, source, order, match: compileMatch(rule.match) }
  return when === undefined ? compiled : { ...compiled, when }
}

/** The preset's own rules as a layer. */
export function presetLayer(preset: Preset): Layer {
  const rules = PRESETS[preset].map((rule, order) => {
    const checked = rule.when === undefined ? undefined : checkCondition(rule.when)
    if (checked?.ok === false) throw new Bug(`preset rule ${rule.id} has a faulty condition`)
    return compileRule(rule, `preset ${preset}`, order, checked?.value)
  })
  return layerOf(rules)
}

/** The rules as written, valid or not, so that a mistake in one does not hide mistakes in the others. */
type Written = { readonly [Key in keyof Rule]?: unknown }
function rulesIn(value: unknown): readonly Written[] {
  const rules = valueAt(value, ['rules'])
  return Array.isArray(rules)
    ? rules.map((rule: unknown) => (typeof rule === 'object' && rule !== null ? rule : {}))
    : []
}

function readCondition(
  rule: Written,
  path: YamlPath,
  yaml: LocatedYaml,
  options: PolicyOptions,
  faults: Fault[],
): Condition | undefined {
  if (typeof rule.when !== 'string' || rule.when === '') return undefined
  const checked = checkCondition(rule.when, argsType(rule, options))
  if (checked.ok) return checked.value
  for (const { at, says, instead } of checked.faults) faults.push({ ...yaml.placeInside(path, at), says, instead })
  return undefined
}

function argsType(rule: Written, { schemas }: PolicyOptions): Type {
  const written = valueAt(rule.match, ['tool'])
  const tool: unknown = Array.isArray(written) && written.length === 1 ? written[0] : written
  return typeof tool === 'string' ? withInputs(typeOfSchema(schemas?.(tool))) : ANY
}

const INPUTS: Type = {
  is: 'object',
  fields: { responses: { is: 'object', fields: {}, open: true }, state: STRING },
  open: false,
}

/** Answers to a tool's questions are part of a call's arguments, but of no tool's schema. */
const withInputs = (args: Type): Type =>
  args.is === 'object' ? { ...args, fields: { ...args.fields, [INPUTS_KEY]: INPUTS } } : args

function repeatedIds(rules: readonly Written[], yaml: LocatedYaml, root: YamlPath): Fault[] {
  const first = new Map<string, number>()
  return rules.flatMap(({ id }, at) => {
    if (typeof id !== 'string') return []
    const before = first.get(id)
    if (before === undefined) {
      first.set(id, at)
      return []
    }
    const { line } = yaml.placeOf([...root, 'rules', before])
    const place = yaml.placeOf([...root, 'rules', at, 'id'])
    return [{ ...place, says: `the rule at line ${line} has the same id, \`${id}\``, instead: 'choose another id' }]
  })
}

function misplacedPreviews(rules: readonly Written[], yaml: LocatedYaml, root: YamlPath): Fault[] {
  return rules.flatMap(({ effect, preview }, at) => {
    if (preview !== true || effect !== 'block') return []
    const place = yaml.placeOfKey([...root, 'rules', at], 'preview')
    return [{ ...place, says: 'a blocked call cannot have a preview', instead: 'leave `preview` out' }]
  })
}

function misplacedStrengths(rules: readonly Written[], yaml: LocatedYaml, root: YamlPath): Fault[] {
  return rules.flatMap(({ effect, strength }, at) => {
    if (strength === undefined || (effect !== 'allow' && effect !== 'block')) return []
    const place = yaml.placeOfKey([...root, 'rules', at], 'strength')
    return [
      {
        ...place,
        says: `\`${effect}\` cannot have a strength`,
        instead: 'leave `strength` out, or write `effect: ask`',
      },
    ]
  })
}
