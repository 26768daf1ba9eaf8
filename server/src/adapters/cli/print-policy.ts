import { fieldsOf, textOf, timeOf, type PrintedFields, type Out } from './print.ts'

const listOf = (value: unknown): readonly PrintedFields[] => (Array.isArray(value) ? value.map(fieldsOf) : [])
const wordsOf = (value: unknown): string => (Array.isArray(value) ? value.map(textOf).join(', ') : textOf(value))
const short = (version: unknown): string => textOf(version).slice(0, 12)
const count = (number: unknown, noun: string): string => `${textOf(number)} ${noun}${number === 1 ? '' : 's'}`

/** `ask (strong)` and the rules that lead to it. */
const answerOf = ({ effect, strength, rules, rule }: PrintedFields): string => {
  const by = rules ?? rule
  const named = by === undefined || wordsOf(by) === '' ? '' : ` by ${wordsOf(by)}`
  return `${textOf(effect)}${strength === undefined ? '' : ` (${textOf(strength)})`}${named}`
}

export function printPolicy(out: Out, body: PrintedFields): void {
  const { file, version, preset, mode, since, reads } = body
  out.line(`${textOf(file)}  version ${short(version)}  in force since ${timeOf(since)}`)
  out.line(`preset ${textOf(preset)}, mode ${textOf(mode)}`)
  out.line(textOf(reads))
  const rules = listOf(body['rules'])
  const print = (rule: PrintedFields) =>
    out.line(`  ${textOf(rule['reads'])}  [${textOf(rule['id'])}, ${textOf(rule['source'])}]`)
  for (const rule of rules.filter(({ layer }) => layer === 'operator')) print(rule)
  out.line(`if none of these matches, the preset ${textOf(preset)} applies:`)
  for (const rule of rules.filter(({ layer }) => layer === 'preset')) print(rule)
}

export function printResults(out: Out, report: PrintedFields): void {
  const results = listOf(report['results'])
  for (const { name, source, expected, answer, opinions } of results.filter(({ passed }) => passed !== true)) {
    out.line(`FAIL ${textOf(source)}: ${textOf(name)}`)
    out.line(`  expected ${answerOf(fieldsOf(expected))}, got ${answerOf(fieldsOf(answer))}`)
    for (const { rule, says, source: place } of listOf(opinions))
      out.line(`  ${textOf(rule)}: ${textOf(says)} (${textOf(place)})`)
  }
  const { file, version } = fieldsOf(report['policy'])
  const failed = report['failed'] === 0 ? 'all pass' : `${textOf(report['failed'])} of them fail`
  out.line(`${count(results.length, 'case')} against ${textOf(file)} (${short(version)}): ${failed}`)
}

export function printFindings(out: Out, report: PrintedFields): void {
  const findings = listOf(report['findings'])
  for (const { kind, source, says, example, answer } of findings) {
    out.line(`${textOf(kind)} ${textOf(source)}: ${textOf(says)}`)
    out.line(`  for example ${JSON.stringify(example)}`)
    out.line(`  which gets: ${answerOf(fieldsOf(answer))}`)
  }
  const { file } = fieldsOf(report['policy'])
  const found = findings.length === 0 ? 'no findings' : count(findings.length, 'finding')
  out.line(`${textOf(file)}, ${count(report['rules'], 'rule')}: ${found}`)
  if (report['depth'] === 'unproven')
    out.line('some conditions were only tested on samples: install the optional package z3-solver to have them proven')
  if (typeof report['open'] === 'number' && report['open'] > 0)
    out.line(`${count(report['open'], 'question')} about conditions could not be answered: the solver gave up`)
}

export function printReplay(out: Out, report: PrintedFields): void {
  const { calls, judged, not_replayable, more, since, left_off } = report
  out.line(`${count(calls, 'call')} since ${timeOf(since)}, ${textOf(judged)} judged again`)
  if (not_replayable !== 0)
    out.line(
      `NOT REPLAYABLE: ${count(not_replayable, 'call')} whose facts were not stored; it is not known what changes for them`,
    )
  if (more === true) out.line('INCOMPLETE: older calls in this period were left out')
  const sums = Object.entries(fieldsOf(report['sums']))
  out.line(
    sums.length === 0
      ? 'nothing would change'
      : `would change: ${sums.map(([way, n]) => `${textOf(n)} ${way}`).join(', ')}`,
  )
  for (const { call_id, tool_id, way, from, to, received_at } of listOf(report['changes'])) {
    const line = `${timeOf(received_at)} ${textOf(call_id)} ${textOf(tool_id)}`
    out.line(`  ${textOf(way)}: ${line}: ${answerOf(fieldsOf(from))} → ${answerOf(fieldsOf(to))}`)
  }
  if (left_off !== 0 && left_off !== undefined) out.line(`  and ${textOf(left_off)} more`)
}

export function printDiff(out: Out, report: PrintedFields): void {
  const [before, after] = [fieldsOf(report['before']), fieldsOf(report['after'])]
  const spell = ({ file, version }: PrintedFields) => `${textOf(file)} (${short(version)})`
  out.line(`${spell(before)} is in force, ${spell(after)} is the draft`)
  const rules = fieldsOf(report['rules'])
  const preset = fieldsOf(rules['preset'])
  const lines = [
    ...(rules['preset'] === undefined ? [] : [`~ preset: ${textOf(preset['before'])} → ${textOf(preset['after'])}`]),
    ...listOf(rules['added']).map((one) => `+ ${ruleLine(one)}`),
    ...listOf(rules['removed']).map((one) => `- ${ruleLine(one)}`),
    ...listOf(rules['changed']).flatMap(changedLines),
  ]
  for (const line of lines) out.line(line)
  if (lines.length === 0) out.line('no rule differs')
  printCases(out, fieldsOf(report['cases']))
  if (report['replay'] !== undefined) printReplay(out, fieldsOf(report['replay']))
}

const ruleLine = ({ rule, source }: PrintedFields): string => {
  const { id, effect, says } = fieldsOf(rule)
  return `${textOf(id)}: ${textOf(effect)}: ${textOf(says)} (${textOf(source)})`
}

function changedLines({ id, source, parts, before, after }: PrintedFields): string[] {
  const names = Array.isArray(parts) ? parts.map(textOf) : []
  const values = names.map((part) => {
    const value = (rule: unknown) => JSON.stringify(fieldsOf(rule)[part] ?? null)
    return `    ${part}: ${value(before)} → ${value(after)}`
  })
  return [`~ ${textOf(id)} (${textOf(source)})`, ...values]
}

function printCases(out: Out, { run, changed }: PrintedFields): void {
  if (run === 0) return
  const list = listOf(changed)
  out.line(
    `${count(run, 'case')} under both: ${list.length === 0 ? 'the same answers' : `${list.length} answered differently`}`,
  )
  for (const { name, source, before, after, passes } of list) {
    const now = fieldsOf(passes)['after'] === true ? 'passes' : 'FAILS'
    out.line(
      `  ${textOf(source)}: ${textOf(name)}: ${answerOf(fieldsOf(before))} → ${answerOf(fieldsOf(after))}, ${now}`,
    )
  }
}
