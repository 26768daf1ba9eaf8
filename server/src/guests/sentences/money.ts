const SIGNS: Readonly<Record<string, string>> = { EUR: '€', USD: '$', GBP: '£', JPY: '¥' }
/** Currencies without a smaller unit. */
const WHOLE: ReadonlySet<string> = new Set(
  'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' '),
)
const DECIMAL = /^(-?)(\d{1,30})(?:\.(\d{1,18}))?$/

/**
 * An amount with its currency: `€4,820.00`. Digits are grouped and never rounded. Undefined if the amount is not a plain decimal
 * number or the currency is not a three-letter code: then both are shown as they are.
 */
export function moneyText(amount: string, currency: string | undefined): string | undefined {
  const [, minus = '', whole = '', fraction = ''] = DECIMAL.exec(amount.trim()) ?? []
  const code = currency?.trim().toUpperCase()
  if (whole === '' || (code !== undefined && !/^[A-Z]{3}$/.test(code))) return undefined
  const grouped = whole.replace(/^0+(?=\d)/, '').replaceAll(/\B(?=(\d{3}){1,21}$)/g, ',')
  const decimals = code === undefined || WHOLE.has(code) ? fraction : fraction.padEnd(2, '0')
  const number = decimals === '' ? grouped : `${grouped}.${decimals}`
  if (code === undefined) return `${minus}${number}`
  const sign = SIGNS[code]
  return sign === undefined ? `${code} ${minus}${number}` : `${minus}${sign}${number}`
}
