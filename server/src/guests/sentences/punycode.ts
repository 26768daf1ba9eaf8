const BASE = 36
const T_MIN = 1
const T_MAX = 26
const SKEW = 38
const DAMP = 700
const FIRST_BIAS = 72
const FIRST_CODE = 128

export const isAscii = (text: string): boolean => /^\p{ASCII}*$/u.test(text)

/** A host as used on the network: every non-ASCII label in punycode (RFC 3492). */
export function asciiHost(host: string): string {
  return host
    .normalize('NFKC')
    .toLowerCase()
    .split(/[.\u3002\uff0e\uff61]/u)
    .map((label) => (isAscii(label) ? label : `xn--${encodeLabel(label)}`))
    .join('.')
}

function encodeLabel(label: string): string {
  const codes = Array.from(label, (char) => char.codePointAt(0) ?? 0)
  const plain = codes.filter((code) => code < FIRST_CODE)
  let encoded = plain.map((code) => String.fromCharCode(code)).join('')
  if (plain.length > 0) encoded += '-'
  let handled = plain.length
  let next = FIRST_CODE
  let delta = 0
  let bias = FIRST_BIAS
  while (handled < codes.length) {
    const least = Math.min(...codes.filter((code) => code >= next))
    delta += (least - next) * (handled + 1)
    next = least
    for (const code of codes) {
      if (code < next) delta += 1
      if (code !== next) continue
      encoded += digitsOf(delta, bias)
      bias = adapted(delta, handled + 1, handled === plain.length)
      delta = 0
      handled += 1
    }
    delta += 1
    next += 1
  }
  return encoded
}

function digitsOf(delta: number, bias: number): string {
  let digits = ''
  let rest = delta
  for (let place = BASE; ; place += BASE) {
    const threshold = Math.min(T_MAX, Math.max(T_MIN, place - bias))
    if (rest < threshold) return digits + digit(rest)
    digits += digit(threshold + ((rest - threshold) % (BASE - threshold)))
    rest = Math.floor((rest - threshold) / (BASE - threshold))
  }
}

const digit = (value: number) => String.fromCharCode(value < 26 ? value + 97 : value + 22)

function adapted(delta: number, count: number, isFirst: boolean): number {
  let rest = Math.floor(delta / (isFirst ? DAMP : 2))
  rest += Math.floor(rest / count)
  let bias = 0
  while (rest > ((BASE - T_MIN) * T_MAX) / 2) {
    rest = Math.floor(rest / (BASE - T_MIN))
    bias += BASE
  }
  return bias + Math.floor(((BASE - T_MIN + 1) * rest) / (rest + SKEW))
}
