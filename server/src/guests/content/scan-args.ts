import { isJsonObject, type Json } from '../../kernel/contract/json.ts'
import type { ArgRules } from './arg-rules.ts'
import { findJoined, type JoinedMatch, type Piece } from './joined-text.ts'
import { readingsOf } from '../../kernel/text/readings.ts'
import { findInField } from './redact-json.ts'
import type { TextMatch } from './rule.ts'

/** Something sensitive in the arguments of a call. Never the text itself. */
export type ArgMatch = Pick<TextMatch, 'type' | 'rule' | 'kind'> & {
  /** RFC 6901. */
  readonly path: string
  /** Its span in that text as written; the whole text if it was found in another encoding. */
  readonly start: number
  readonly end: number
  readonly spelled: 'plainly' | 'encoded' | 'joined'
  /** Whether the text contains little else: a single address, a list of addresses. */
  readonly alone: boolean
  /** Set if it is part of a network address: the host, or the rest, which is sent to that host. */
  readonly url?: 'host' | 'rest'
}

export type ArgScan = {
  readonly findings: readonly ArgMatch[]
  /** How many findings there are beyond those listed. */
  readonly more: { readonly secret: number; readonly pii: number }
  /** Pointers to texts that contain one of the gate's own redaction marks. */
  readonly marks: readonly string[]
  /** False if a text has more readings than could be searched. */
  readonly complete: boolean
}

const MOST_FINDINGS = 500
const MOST_MARKS = 100
const MOST_CODES = 10_000
const MARK = /\[REDACTED_[A-Z]/

/** Everything sensitive in the arguments of a call: plain, encoded, or split into parts. */
export function scanArgs(args: Json, rules: ArgRules): ArgScan {
  const scan = new Scan(rules)
  scan.visit(args, '', '')
  scan.join()
  return scan.result()
}

class Scan {
  private readonly rules: ArgRules
  private readonly findings: ArgMatch[] = []
  private readonly more = { secret: 0, pii: 0 }
  private marks: readonly string[] = []
  private readonly values: Piece[] = []
  private readonly names: Piece[] = []
  private complete = true

  constructor(rules: ArgRules) {
    this.rules = rules
  }

  result(): ArgScan {
    return { findings: this.findings, more: this.more, marks: this.marks, complete: this.complete }
  }

  /**
   * `name` is that of the nearest field. Recursion is bounded, because arguments have a limited depth (kernel/json/canonical.ts).
   */
  visit(value: Json, name: string, path: string): void {
    if (typeof value === 'string' || typeof value === 'number') return this.text(String(value), name, path, this.values)
    if (Array.isArray(value)) {
      value.forEach((item: Json, index) => this.visit(item, name, `${path}/${index}`))
      // A text as a list of its character codes.
      if (value.length >= 10 && value.length <= MOST_CODES && value.every((item) => Number.isInteger(item)))
        this.text(value.join(','), name, path, [])
      return
    }
    if (!isJsonObject(value)) return
    for (const key of Object.keys(value)) {
      const own = `${path}/${escaped(key)}`
      this.name(key, own)
      this.visit(value[key] ?? null, labelOf(value, key) ?? key, own)
    }
  }

  join(): void {
    const inValues = findJoined(this.values, this.rules.firm)
    const inNames = findJoined(this.names, this.rules.firm)
    if (inValues.length + inNames.length === 0) return
    const known = new Set(this.findings.map(({ path, rule }) => `${rule} ${path}`))
    this.joined(this.values, inValues, known)
    this.joined(this.names, inNames, known)
  }

  /** Skips what was already found at the same start. */
  private joined(pieces: readonly Piece[], found: readonly JoinedMatch[], known: Set<string>): void {
    for (const { piece, type, rule, kind } of found) {
      const { text, path } = pieces[piece] ?? { text: '', path: '' }
      if (known.has(`${rule} ${path}`)) continue
      known.add(`${rule} ${path}`)
      const whole = { path, start: 0, end: text.length, ...urlOf(text, text.length) }
      this.add(kind, () => ({ type, rule, kind, ...whole, spelled: 'joined', alone: false }))
    }
  }

  /** The name of a field. Names recur with every call, so those in which nothing was found are not searched again. */
  private name(name: string, path: string): void {
    if (this.rules.clean.get(name) === true) {
      this.names.push({ text: name, path })
      return
    }
    const before = this.found()
    this.text(name, '', path, this.names)
    if (this.found() === before && this.complete) this.rules.clean.set(name, true)
  }

  private found(): number {
    return this.findings.length + this.more.secret + this.more.pii + this.marks.length
  }

  private text(text: string, name: string, path: string, pieces: Piece[]): void {
    const plain = findInField(text, name, this.rules.all)
    if (plain.length > 0) this.plain(text, path, plain)
    this.mark(text, path)
    pieces.push({ text, path })
    const { texts, complete } = readingsOf(text)
    if (!complete) this.complete = false
    if (texts.length === 0) return
    const known = new Set(plain.map(({ rule }) => rule))
    for (const reading of texts) this.reading(reading, { text, name, path, alone: !/\s/.test(text.trim()) }, known)
  }

  private plain(text: string, path: string, plain: readonly TextMatch[]): void {
    const covered = plain.reduce((sum, { start, end }) => sum + end - start, 0)
    const alone = isAlone(text, text.length - covered, plain.length)
    for (const finding of plain)
      this.add(finding.kind, () => ({ ...finding, ...urlOf(text, finding.start), path, spelled: 'plainly', alone }))
  }

  private reading(
    reading: string,
    of: { readonly text: string; readonly name: string; readonly path: string; readonly alone: boolean },
    known: Set<string>,
  ): void {
    this.mark(reading, of.path)
    for (const { type, rule, kind } of findInField(reading, of.name, this.rules.all)) {
      if (known.has(rule)) continue
      known.add(rule)
      const { text, path, alone } = of
      const whole = { path, start: 0, end: text.length, ...urlOf(text, text.length) }
      this.add(kind, () => ({ type, rule, kind, ...whole, spelled: 'encoded', alone }))
    }
  }

  private mark(text: string, path: string): void {
    if (MARK.test(text) && this.marks.length < MOST_MARKS && !this.marks.includes(path))
      this.marks = [...this.marks, path]
  }

  private add(kind: ArgMatch['kind'], described: () => ArgMatch): void {
    if (this.findings.length < MOST_FINDINGS) this.findings.push(described())
    else this.more[kind] += 1
  }
}

const escaped = (key: string): string => (/[~/]/.test(key) ? key.replaceAll('~', '~0').replaceAll('/', '~1') : key)

/** `{"name": "API_TOKEN", "value": "…"}` names its value in another field. */
function labelOf(object: Readonly<Record<string, Json>>, key: string): string | undefined {
  const label = object['name'] ?? object['key']
  return key === 'value' && typeof label === 'string' ? label : undefined
}

/** The remaining characters may be names and the separators between addresses: `Ana Roe <ana@…>, bob@…`. */
const MOST_AROUND = 48
const isAlone = (text: string, left: number, count: number): boolean =>
  left <= MOST_AROUND * count && !text.includes('\n')

const NETWORK = /\b(?:https?|wss?|ftps?|sftp|gopher|dns|ldaps?|smb|tcp|udp|mailto|data):/gi
const MOST_BEFORE = 8_192

/** Whether a position in a text is inside a network address: after a scheme, with no space in between. */
function urlOf(text: string, at: number): Pick<ArgMatch, 'url'> {
  let start = at
  while (start > 0 && at - start < MOST_BEFORE && !/\s/.test(text.charAt(start - 1))) start -= 1
  const unbroken = text.slice(start, at)
  const starts = [...unbroken.matchAll(NETWORK)]
  const last = starts.at(-1)
  if (last === undefined) return {}
  const rest = unbroken.slice(last.index + last[0].length).replace(/^\/\//, '')
  return { url: /[/?#]/.test(rest) ? 'rest' : 'host' }
}
