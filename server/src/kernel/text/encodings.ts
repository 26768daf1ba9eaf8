const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** The UTF-8 bytes of a text. */
export function utf8(text: string): number[] {
  const escaped = encodeURIComponent(text.replace(/\p{Cs}/gu, '\ufffd'))
  return [...escaped.matchAll(/%([0-9A-F]{2})|([^%])/g)].map(([, hex, plain]) =>
    hex === undefined ? (plain ?? '').charCodeAt(0) : Number.parseInt(hex, 16),
  )
}

export const hexOf = (bytes: readonly number[]): string =>
  bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')

/**
 * The substrings that every base64 text of these bytes contains, whatever precedes and follows them: the characters that depend
 * on no neighboring byte, for each of the three possible offsets.
 */
export function base64Cores(bytes: readonly number[]): string[] {
  return [0, 1, 2].map((before) => {
    const bits = [...Array.from({ length: before }, () => 0), ...bytes].flatMap((byte) =>
      [7, 6, 5, 4, 3, 2, 1, 0].map((at) => (byte >> at) & 1),
    )
    const first = Math.ceil((before * 8) / 6)
    const end = Math.floor(bits.length / 6)
    return Array.from({ length: end - first }, (_, at) => {
      const six = bits.slice((first + at) * 6, (first + at + 1) * 6)
      return BASE64[six.reduce((value, bit) => value * 2 + bit, 0)] ?? ''
    }).join('')
  })
}

/** The text with its percent-encoding decoded where possible. */
export function percentDecode(text: string): string {
  return text.replace(/(?:%[0-9A-Fa-f]{2})+/g, (run) => {
    try {
      return decodeURIComponent(run)
    } catch {
      return run
    }
  })
}

/** The text with `\u0041`, `\x41` and `\/` decoded, as in JSON or code inside a string. */
export function unescapeText(text: string): string {
  return text
    .replace(/\\(?:u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2}))/g, (_, four?: string, two?: string) =>
      String.fromCharCode(Number.parseInt(four ?? two ?? '', 16)),
    )
    .replaceAll('\\/', '/')
}
