/** A set of characters: one bit per ASCII code, and bit 128 for everything else. */
export type CharSet = bigint
export const ALL: CharSet = (1n << 129n) - 1n

/** The subset of regular expressions that rules may use: no back references, no Unicode properties. */
export type Pattern =
  | { readonly is: 'set'; readonly set: CharSet }
  | { readonly is: 'sequence'; readonly items: readonly Pattern[] }
  | { readonly is: 'choice'; readonly options: readonly Pattern[] }
  | { readonly is: 'repeat'; readonly body: Pattern; readonly min: number; readonly max: number }
  | { readonly is: 'look'; readonly body: Pattern }
  | { readonly is: 'assertion' }

const bit = (code: number): CharSet => 1n << BigInt(Math.min(code, 128))
const range = (from: number, to: number): CharSet => {
  const [low, high] = [Math.min(from, 128), Math.min(to, 128)]
  return high < low ? 0n : ((1n << BigInt(high - low + 1)) - 1n) << BigInt(low)
}
const DIGIT = range(48, 57)
const WORD = DIGIT | range(65, 90) | range(97, 122) | bit(95)
const SPACE = range(9, 13) | bit(32) | bit(128) // some spaces are not ASCII
const NEWLINE = bit(10) | bit(13) | bit(128)
const CLASSES: Readonly<Record<string, CharSet>> = {
  d: DIGIT,
  D: ALL & ~DIGIT,
  w: WORD,
  W: ALL & ~WORD,
  s: SPACE,
  S: ALL & ~(SPACE & ~bit(128)),
}
const CONTROLS: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, f: 12, v: 11, 0: 0 }

/** Parses a pattern that `RegExp` has accepted; `undefined` if it uses something outside the subset. */
export function parsePattern(source: string, ignoreCase: boolean): Pattern | undefined {
  const reader = new PatternReader(source, ignoreCase)
  const pattern = reader.choice()
  return reader.atEnd() && !reader.outside ? pattern : undefined
}

class PatternReader {
  private readonly source: string
  private readonly ignoreCase: boolean
  private at = 0
  /** Set when something outside the subset was found; what is parsed after that is meaningless. */
  outside = false

  constructor(source: string, ignoreCase: boolean) {
    this.source = source
    this.ignoreCase = ignoreCase
  }

  atEnd(): boolean {
    return this.at >= this.source.length
  }

  choice(): Pattern {
    const options = [this.sequence()]
    while (this.took('|')) options.push(this.sequence())
    return options.length === 1 && options[0] !== undefined ? options[0] : { is: 'choice', options }
  }

  private sequence(): Pattern {
    const items: Pattern[] = []
    while (!this.atEnd() && this.source[this.at] !== '|' && this.source[this.at] !== ')') items.push(this.repeated())
    return { is: 'sequence', items }
  }

  private repeated(): Pattern {
    const body = this.atom()
    const counts = this.counts()
    if (counts === undefined) return body
    this.took('?') // a lazy repeat tries the same ways in another order
    return { is: 'repeat', body, ...counts }
  }

  private counts(): { min: number; max: number } | undefined {
    if (this.took('?')) return { min: 0, max: 1 }
    if (this.took('*')) return { min: 0, max: Infinity }
    if (this.took('+')) return { min: 1, max: Infinity }
    const braces = /\{(\d+)(,(\d*))?\}/y
    braces.lastIndex = this.at
    const found = braces.exec(this.source)
    if (found === null) return undefined
    this.at = braces.lastIndex
    const min = Number(found[1])
    if (found[2] === undefined) return { min, max: min }
    return { min, max: found[3] === '' ? Infinity : Number(found[3]) }
  }

  private atom(): Pattern {
    if (this.took('(')) return this.group()
    if (this.took('[')) return { is: 'set', set: this.folded(this.charClass()) }
    if (this.took('^') || this.took('$')) return { is: 'assertion' }
    if (this.took('.')) return { is: 'set', set: ALL & ~(NEWLINE & ~bit(128)) }
    if (this.took('\\')) {
      if (this.took('b') || this.took('B')) return { is: 'assertion' }
      return { is: 'set', set: this.folded(this.escape()) }
    }
    return { is: 'set', set: this.folded(bit(this.code())) }
  }

  private group(): Pattern {
    const look = this.took('?=') || this.took('?!') || this.took('?<=') || this.took('?<!')
    if (!look && !this.took('?:')) {
      const name = /\?<\w+>/y
      name.lastIndex = this.at
      if (name.test(this.source)) this.at = name.lastIndex
      else if (this.source[this.at] === '?') this.outside = true
    }
    const body = this.choice()
    if (!this.took(')')) this.outside = true
    return look ? { is: 'look', body } : body
  }

  private charClass(): CharSet {
    const negated = this.took('^')
    let set: CharSet = 0n
    while (!this.took(']')) {
      if (this.atEnd()) {
        this.outside = true
        return set
      }
      const from = this.classMember()
      const ranged = this.source[this.at] === '-' && this.source[this.at + 1] !== ']' && from.code !== undefined
      if (!ranged) {
        set |= from.set
        continue
      }
      this.at += 1
      const to = this.classMember()
      if (to.code === undefined) this.outside = true
      else set |= range(from.code ?? 0, to.code)
    }
    // All non-ASCII characters share a bit, so a negated class still contains some of them.
    return negated ? (ALL & ~set) | bit(128) : set
  }

  private classMember(): { set: CharSet; code?: number } {
    if (!this.took('\\')) {
      const code = this.code()
      return { set: bit(code), code }
    }
    if (this.took('b')) return { set: bit(8), code: 8 }
    const named = CLASSES[this.source[this.at] ?? '']
    if (named !== undefined) return { set: this.escape() }
    const code = this.escapedCode()
    return { set: bit(code), code }
  }

  private escape(): CharSet {
    const named = CLASSES[this.source[this.at] ?? '']
    if (named === undefined) return bit(this.escapedCode())
    this.at += 1
    return named
  }

  private escapedCode(): number {
    const hex = /x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})/y
    hex.lastIndex = this.at
    const found = hex.exec(this.source)
    if (found !== null) {
      this.at = hex.lastIndex
      return Number.parseInt(found[1] ?? found[2] ?? '', 16)
    }
    const letter = this.source[this.at] ?? ''
    const control = CONTROLS[letter]
    if (control === undefined && /[a-zA-Z1-9]/.test(letter)) this.outside = true // back references, \p, \c
    const code = this.code()
    return control ?? code
  }

  private code(): number {
    if (this.atEnd()) this.outside = true
    const code = this.source.charCodeAt(this.at)
    this.at += 1
    return code
  }

  private took(literal: string): boolean {
    if (!this.source.startsWith(literal, this.at)) return false
    this.at += literal.length
    return true
  }

  private folded(set: CharSet): CharSet {
    if (!this.ignoreCase) return set
    const upper = set & range(65, 90)
    const lower = set & range(97, 122)
    // Without the `u` flag nothing outside ASCII folds to an ASCII letter.
    return set | (upper << 32n) | (lower >> 32n)
  }
}
