import { PolicyFile, type PolicyFault, type Preset, type Rule } from '../../../contract/policy.ts'
import { byPlace, type LocatedYaml, locateYaml, type Path } from './located-yaml.ts'
import { compileMatch } from './match.ts'
import type { CompiledRule, Layer, Policy } from './policy.ts'
import { faultsOfIssue, valueAt } from './policy-faults.ts'
import { PRESETS } from './presets.ts'
import { indexRules } from './rule-index.ts'

export type PolicySource = { readonly text: string; readonly file: string }
export type PolicyOptions = {
  /** SHA-256 in hex. */
  readonly digest: (text: string) => string
  /** Where in the document the policy stands, for one that is written inside another file. */
  readonly at?: Path
}
export type CompiledPolicy =
  { readonly ok: true; readonly value: Policy } | { readonly ok: false; readonly faults: readonly PolicyFault[] }

/** Reads, checks and compiles a policy once. Every mistake is found, in the order in which they stand in the file. */
export function compilePolicy({ text, file }: PolicySource, options: PolicyOptions): CompiledPolicy {
  const failed = (faults: readonly Omit<PolicyFault, 'file'>[]): CompiledPolicy => ({
    ok: false,
    faults: faults.map((fault) => ({ file, ...fault })).sort(byPlace),
  })
  const located = locateYaml(text)
  if (!located.ok) return failed(located.faults)
  const { yaml } = located
  const root = options.at ?? []
  const read = PolicyFile.safeParse(valueAt(yaml.value, root))
  if (!read.success) return failed(read.error.issues.flatMap((issue) => faultsOfIssue(issue, yaml, root)))
  const { preset, rules } = read.data
  const faults = [...repeatedIds(rules, yaml, root), ...misplacedStrengths(rules, yaml, root)]
  if (faults.length > 0) return failed(faults)
  const operator = rules.map((rule, order): CompiledRule => {
    const { line } = yaml.placeOf([...root, 'rules', order])
    return { rule, source: `${file}:${line}`, order, match: compileMatch(rule.match) }
  })
  return {
    ok: true,
    value: {
      version: options.digest(text),
      file,
      preset,
      mode: preset === 'observe' ? 'observe' : 'enforce',
      operator: layerOf(operator),
      fallback: presetLayer(preset),
    },
  }
}

function presetLayer(preset: Preset): Layer {
  return layerOf(
    PRESETS[preset].map((rule, order) => ({
      rule,
      source: `preset ${preset}`,
      order,
      match: compileMatch(rule.match),
    })),
  )
}

const layerOf = (rules: readonly CompiledRule[]): Layer => ({ rules, index: indexRules(rules) })

type Fault = Omit<PolicyFault, 'file'>

function repeatedIds(rules: readonly Rule[], yaml: LocatedYaml, root: Path): Fault[] {
  const first = new Map<string, number>()
  return rules.flatMap(({ id }, at) => {
    const before = first.get(id)
    if (before === undefined) {
      first.set(id, at)
      return []
    }
    const { line } = yaml.placeOf([...root, 'rules', before])
    const place = yaml.placeOf([...root, 'rules', at, 'id'])
    return [{ ...place, says: `the rule of line ${line} is called \`${id}\` too`, instead: 'write another id' }]
  })
}

function misplacedStrengths(rules: readonly Rule[], yaml: LocatedYaml, root: Path): Fault[] {
  return rules.flatMap(({ effect, strength }, at) => {
    if (strength === undefined || effect === 'ask') return []
    const place = yaml.placeOfKey([...root, 'rules', at], 'strength')
    return [
      { ...place, says: `\`${effect}\` has no strength`, instead: 'leave `strength` out, or write `effect: ask`' },
    ]
  })
}
