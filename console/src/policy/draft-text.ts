import type { PolicyInForce, ShownRule } from './policy-query.ts'

const plain = (text: string): string =>
  /^[A-Za-z0-9_.*?@ -]+$/.test(text) && !/^[\s\d-]|\s$|^(?:true|false|null|yes|no|on|off)$/i.test(text)
    ? text
    : JSON.stringify(text)

function inline(value: unknown): string {
  if (typeof value === 'string') return plain(value).replace(/^([*?].*)$/, '"$1"')
  if (Array.isArray(value)) return value.length === 1 ? inline(value[0]) : `[${value.map(inline).join(', ')}]`
  return JSON.stringify(value)
}

function ruleText({ id, effect, strength, preview, match, when, says }: ShownRule): string {
  const matched = Object.entries(match).map(([name, value]) => `${name}: ${inline(value)}`)
  return [
    `  - id: ${id}`,
    `    effect: ${effect}`,
    ...(strength === undefined ? [] : [`    strength: ${strength}`]),
    ...(preview === undefined ? [] : [`    preview: ${preview}`]),
    ...(matched.length === 0 ? [] : [`    match: { ${matched.join(', ')} }`]),
    ...(when === undefined ? [] : [`    when: ${JSON.stringify(when)}`]),
    `    says: ${JSON.stringify(says)}`,
  ].join('\n')
}

/** The operator's rules in force, as a file to change. */
export function draftOf({ preset, rules }: PolicyInForce): string {
  const own = rules.filter(({ layer }) => layer === 'operator')
  return `preset: ${preset}\nrules:${own.length === 0 ? ' []' : `\n${own.map(ruleText).join('\n')}`}\n`
}
