const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** The bytes of the hexadecimal prefix of a text, one character each. */
export function bytesOfHex(text: string): string {
  const [digits = ''] = /^(?:[0-9a-f]{2})*/i.exec(text) ?? []
  return (digits.match(/../g) ?? []).map((pair) => String.fromCharCode(Number.parseInt(pair, 16))).join('')
}

/** The same for base64, in either alphabet. */
export function bytesOfBase64(text: string): string {
  let [bits, count, bytes] = [0, 0, '']
  for (const character of text.replaceAll('-', '+').replaceAll('_', '/')) {
    const value = BASE64.indexOf(character)
    if (value < 0) break
    bits = ((bits << 6) | value) & 0xffff
    count += 6
    if (count < 8) continue
    count -= 8
    bytes += String.fromCharCode((bits >> count) & 0xff)
  }
  return bytes
}
