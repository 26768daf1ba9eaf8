import { problem, specOf, type Problem } from '../../kernel/contract/problems.ts'
import type { GateResponse } from './client.ts'
import type { StartedGate } from './local-gate.ts'
import { BROKE_OFF, NOT_LISTENING, UNREACHED } from './client.ts'
import { EXIT, EXIT_OF } from './exit-codes.ts'

/** Output. `json` prints the gate's JSON answer instead of text. */
export type Out = {
  readonly json: boolean
  /** Of a line, in columns. */
  readonly width: number
  /** One line of our own text, which may contain names chosen by others; with `json`, the answer itself. */
  line(text: string, tone?: Tone): void
  error(text: string, tone?: Tone): void
  /** Text of an agent or a tool, in a frame: none of its lines can be taken for one of ours. */
  framed(text: string, frame?: Framing): void
  /** Text that a program reads, or lines of our own: an export, a script. */
  data(text: string): void
}
export type Framing = {
  readonly indent?: number
  /** How many lines; the rest is counted. */
  readonly most?: number
  readonly more?: string
  readonly tone?: Tone
  readonly to?: 'stdout' | 'stderr'
}
/** The meaning of a line, for colours in a terminal. */
export type Tone = 'good' | 'held' | 'bad' | 'head' | 'quiet'
/** Of a line of evidence. */
export const toneOf = (note: string): Tone => (note.startsWith('block') ? 'bad' : 'held')

export type PrintedFields = Readonly<Record<string, unknown>>
export const fieldsOf = (value: unknown): PrintedFields =>
  typeof value === 'object' && value !== null ? (value as PrintedFields) : {}
export const itemsOf = (value: unknown): readonly PrintedFields[] => {
  const items = fieldsOf(value)['items']
  return Array.isArray(items) ? items.map(fieldsOf) : []
}
export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)

/** Prints a successful reply with `human`, and any other as a problem; returns the exit code. */
export function printReply(out: Out, reply: GateResponse, human: (body: PrintedFields) => void): number {
  if (reply.status === UNREACHED) {
    if (out.json) out.line(JSON.stringify(asBody(problem('gate.absent', absence(reply)))))
    else printAbsent(out, reply)
    return EXIT.absent
  }
  if (reply.status === BROKE_OFF) {
    if (out.json) out.line(JSON.stringify(asBody(problem('gate.broke_off'))))
    else printProblem(out, asBody(problem('gate.broke_off')))
    return EXIT.unknown
  }
  const good = reply.status < 400
  if (out.json) out.line(reply.text.trimEnd())
  else if (good) human(fieldsOf(reply.body))
  else printProblem(out, fieldsOf(reply.body))
  if (good) return EXIT.ok
  // Only text that was typed is passed on unread, so this is a mistake in the arguments, like text that is not JSON.
  return fieldsOf(reply.body)['code'] === 'request.not_ijson' ? EXIT.usage : EXIT.problem
}

function printAbsent(out: Out, { why, at, unconfigured }: GateResponse): void {
  if (at !== undefined) {
    out.error(`no gate responds at ${at}${why === undefined ? '' : `: ${why}`} [gate.absent]`, 'bad')
    out.error('  check the address, and that the gate is running there')
  } else if (why !== undefined && why !== NOT_LISTENING)
    out.error(`the gate of this folder cannot be reached: ${why} [gate.absent]`, 'bad')
  else if (unconfigured === true) {
    out.error('no gate is running here, and this folder has no sluice.yaml to start one with [gate.absent]', 'bad')
    out.error('  write one with `sluice init`, try `sluice demo`, or name a gate with --config or --url')
  } else out.error('no gate is running here; start it with `sluice up` [gate.absent]', 'bad')
}

type NotStarted = Extract<StartedGate, { is: 'failed' }>

export const logOf = ({ log }: NotStarted): string[] => (log === undefined ? [] : [`its log is ${log}`])

/** Why a gate that `sluice mcp` tried to start did not start. */
export const notStarted = (started: NotStarted): string[] => [
  'no gate was running, and it did not start [gate.absent]',
  ...started.says.map((line) => `  ${line}`),
  ...logOf(started).map((line) => `  ${line}`),
]

function absence({ why, at }: GateResponse): Record<string, string> {
  return { ...(at === undefined ? {} : { url: at }), ...(why === undefined ? {} : { why }) }
}

/** A problem found by the command line, in the format of the gate's answers. */
export function asBody(found: Problem): PrintedFields {
  const { says, do: remedy } = specOf(found)
  return { code: found.code, about: found.about, title: says, detail: remedy }
}

export function printProblem(out: Out, body: PrintedFields): number {
  out.error(`${textOf(body['title'])} [${textOf(body['code'])}]`, 'bad')
  const evidence = evidenceOf(body)
  for (const note of evidence) out.error(`  ${note}`, toneOf(note))
  // The evidence already names the rules, each with its reason.
  const printed = ['message', ...(evidence.length > 0 ? ['rules', 'says'] : [])]
  for (const [name, value] of Object.entries(fieldsOf(body['about'])))
    if (textOf(value) !== '' && !printed.includes(name)) printField(out, name, textOf(value))
  if (body['detail'] !== undefined) out.error(`  ${textOf(body['detail'])}`)
  return EXIT.problem
}

/** A field that may have several lines, such as the mistakes in a file. */
function printField(out: Out, name: string, value: string): void {
  if (!value.includes('\n')) return out.error(`  ${name}: ${value}`)
  out.error(`  ${name}:`)
  out.framed(value, { indent: 4, to: 'stderr' })
}

/** A call's outcome: the tool's text if it ran, else what happened and what to do. */
export function printOutcome(out: Out, reply: GateResponse, raw = false): number {
  const body = fieldsOf(reply.body)
  const status = textOf(body['status'] ?? '') in EXIT_OF ? textOf(body['status']) : textOf(body['outcome'])
  const code = printReply(out, reply, () => {
    if (status === 'executed' || status === 'previewed')
      printResult(out, fieldsOf(body['result'] ?? body['preview']), raw)
    else if (status === 'pending') printHeld(out, body)
    else if (status === 'unknown') printUnknown(out, textOf(body['call_id']), body['retry'])
    else out.line(`${status}: ${textOf(body['call_id'])}`)
  })
  if (!out.json && status === 'failed') printResult(out, fieldsOf(body['result']), raw)
  if (!out.json && status === 'executed') printEvidence(out, body)
  if (!out.json) printPointer(out, fieldsOf(body['output']))
  return EXIT_OF[status] ?? code
}

function printUnknown(out: Out, id: string, retry: unknown): void {
  out.line(`unknown: it is not known whether ${id} took effect; check that, then settle it with one of`)
  for (const as of retry === undefined ? ['done', 'failed', 'retry'] : ['done', 'failed'])
    out.line(`  sluice settle ${id} ${as}`)
  if (retry !== undefined) printRetry(out, fieldsOf(retry))
}

/** The request that the retry of a call waits for. */
export function printRetry(out: Out, retry: PrintedFields): void {
  const id = textOf(retry['approval_id'])
  out.line(`the retry waits for an approval, because the first attempt may have taken effect: sluice approve ${id}`)
  out.line(`  or at ${textOf(retry['url'])}`)
}

/** On a line of its own, because the frame breaks the pointer in the tool's text. */
function printPointer(out: Out, { pointer, size_chars }: PrintedFields): void {
  if (pointer === undefined) return
  out.error(`the output has ${textOf(size_chars)} characters; read it with: sluice artifact ${textOf(pointer)}`, 'held')
}

/** The tool's text: framed for people, or alone and unchanged for a program. */
function printResult(out: Out, result: PrintedFields, raw: boolean): void {
  const content = Array.isArray(result['content']) ? result['content'].map(fieldsOf) : []
  for (const block of content) {
    const text = textOf(block['text'] ?? block)
    if (raw) out.data(text)
    else out.framed(text)
  }
}

/** On stderr, because stdout has only the tool's text. */
function printEvidence(out: Out, body: PrintedFields): void {
  const { verified, read_back, rollback } = body
  const word = verified === true ? 'yes' : verified === false ? 'no' : 'unknown'
  if (verified !== undefined) out.error(`verified: ${word} (${textOf(read_back)})`, verified === true ? 'good' : 'bad')
  if (rollback !== undefined) out.error(textOf(rollback))
}

function printHeld(out: Out, body: PrintedFields): void {
  const id = textOf(body['approval_id'])
  const { evidence } = body
  const isForTwo = Array.isArray(evidence) && evidence.map(fieldsOf).some(({ strength }) => strength === 'two_person')
  out.line(`held for approval${isForTwo ? ' by two people' : ''}: ${id}, until ${timeOf(body['expires_at'])}`, 'head')
  for (const note of evidenceOf(body)) out.line(`  ${note}`, toneOf(note))
  if (body['hub'] === undefined) out.line(`  decide:  sluice approve ${id}   or: sluice deny ${id}`)
  else out.line(`  decide:  at the hub ${textOf(body['hub'])}, not here: ${textOf(body['url'])}`)
  out.line(`  outcome: sluice status ${textOf(body['call_id'])}`)
}

/** The opinions that were not `allow`, one per line. */
export function evidenceOf(body: PrintedFields): string[] {
  const evidence = body['evidence'] ?? body['risk_notes']
  if (!Array.isArray(evidence)) return []
  return evidence
    .map(fieldsOf)
    .filter(({ effect }) => effect !== 'allow')
    .map(
      ({ effect, says, rule, source }) =>
        `${textOf(effect)}: ${textOf(says)} (rule ${textOf(rule)}, ${textOf(source)})`,
    )
}

/** Warnings that an operator should act on. On stderr, so that the output for scripts does not change. */
export function printWarnings(out: Out, body: unknown): void {
  const notices = fieldsOf(body)['notices']
  if (out.json || !Array.isArray(notices)) return
  for (const { code, says, faults } of notices.map(fieldsOf)) {
    out.error(`! ${textOf(says)} [${textOf(code)}]`)
    for (const fault of (Array.isArray(faults) ? faults : []).map(fieldsOf)) {
      const place = `${textOf(fault['file'])}:${textOf(fault['line'])}:${textOf(fault['column'])}`
      out.error(`!   ${place}: ${textOf(fault['says'])}; ${textOf(fault['instead'])}`)
    }
  }
}

/** `1 call`, `2 calls`; pass the plural if an `s` is not enough. */
export function count(amount: unknown, word: string, words = `${word}s`): string {
  return `${textOf(amount)} ${Number(amount) === 1 ? word : words}`
}

export function timeOf(value: unknown): string {
  return typeof value === 'number' ? new Date(value).toISOString().slice(0, 19).replace('T', ' ') + 'Z' : '?'
}

/** Columns padded to their widest cell; the first row contains their names. Without another row, `none` is printed instead. */
export function table(out: Out, rows: readonly (readonly string[])[], none?: string): void {
  if (rows.length === 1 && none !== undefined) return out.line(none)
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  for (const [at, row] of rows.entries()) {
    const cells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0))
    out.line(cells.join('  ').trimEnd(), at === 0 ? 'head' : undefined)
  }
}
