const digitsOf = (text: string): number[] => Array.from(text.replace(/\D/g, ''), Number)
const weighted = (digits: readonly number[], weights: readonly number[]): number =>
  weights.reduce((sum, weight, index) => sum + weight * (digits[index] ?? 0), 0)
const at = (digits: readonly number[], index: number): number => digits.at(index) ?? 0

/** Luhn's check, as on payment cards: every second digit from the right counts double. */
export function luhn(text: string): boolean {
  const digits = digitsOf(text)
  const sum = digits.toReversed().reduce((total, digit, index) => {
    const counted = index % 2 === 0 ? digit : digit * 2
    return total + (counted > 9 ? counted - 9 : counted)
  }, 0)
  return digits.some((digit) => digit !== 0) && sum % 10 === 0
}

/** Remainder by 97 of a decimal number of any length; letters count as 10 to 35 (ISO 7064). */
export function mod97(text: string): number {
  let rest = 0
  for (const char of text) {
    const value = Number.parseInt(char, 36)
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97
  }
  return rest
}

const VERHOEFF_TIMES = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
  [1, 2, 3, 4, 0, 6, 7, 8, 9, 5],
  [2, 3, 4, 0, 1, 7, 8, 9, 5, 6],
  [3, 4, 0, 1, 2, 8, 9, 5, 6, 7],
  [4, 0, 1, 2, 3, 9, 5, 6, 7, 8],
  [5, 9, 8, 7, 6, 0, 4, 3, 2, 1],
  [6, 5, 9, 8, 7, 1, 0, 4, 3, 2],
  [7, 6, 5, 9, 8, 2, 1, 0, 4, 3],
  [8, 7, 6, 5, 9, 3, 2, 1, 0, 4],
  [9, 8, 7, 6, 5, 4, 3, 2, 1, 0],
]
const VERHOEFF_TURN = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4]

/** Verhoeff's check, as on Aadhaar numbers. */
export function verhoeff(text: string): boolean {
  let check = 0
  digitsOf(text)
    .toReversed()
    .forEach((digit, index) => {
      let turned = digit
      for (let times = 0; times < index % 8; times++) turned = VERHOEFF_TURN[turned] ?? 0
      check = VERHOEFF_TIMES[check]?.[turned] ?? 0
    })
  return check === 0
}

const NIF_LETTERS = 'TRWAGMYFPDXBNJZSQVHLCKE'

/** Spanish NIF and NIE: the letter is the number's remainder by 23. */
export function spanishId(text: string): boolean {
  const plain = text.replace(/[^0-9A-Za-z]/g, '').toUpperCase()
  const number = plain.slice(0, -1).replace(/^[XYZ]/, (letter) => String('XYZ'.indexOf(letter)))
  return NIF_LETTERS[Number(number) % 23] === plain.at(-1)
}

/** Finnish personal identity code: the sign is the number's remainder by 31. */
export function finnishId(text: string): boolean {
  const number = Number(text.slice(0, 6) + text.slice(7, 10))
  return isDate(text.slice(0, 2), text.slice(2, 4)) && '0123456789ABCDEFHJKLMNPRSTUVWXY'[number % 31] === text.at(-1)
}

/** Swedish personal identity number: a date, then Luhn over the last ten digits. */
export function swedishId(text: string): boolean {
  const ten = text.replace(/\D/g, '').slice(-10)
  const day = Number(ten.slice(4, 6))
  return isDate(String(day > 60 ? day - 60 : day), ten.slice(2, 4)) && luhn(ten)
}

/** Polish PESEL: weights 1 3 7 9; the month also carries the century. */
export function polishId(text: string): boolean {
  const digits = digitsOf(text)
  const sum = weighted(digits, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3])
  return isDate(text.slice(4, 6), String(Number(text.slice(2, 4)) % 20)) && (10 - (sum % 10)) % 10 === at(digits, 10)
}

/** German tax id: ISO 7064 MOD 11,10. */
export function germanTaxId(text: string): boolean {
  const digits = digitsOf(text)
  let product = 10
  for (const digit of digits.slice(0, 10)) {
    const sum = (digit + product) % 10 || 10
    product = (sum * 2) % 11
  }
  return digits[0] !== 0 && (11 - product) % 10 === at(digits, 10)
}

/** German pension insurance number: the letter as two digits, cross sums of weighted digits. */
export function germanPensionId(text: string): boolean {
  const letter = text.charCodeAt(8) - 64
  const digits = Array.from(text.slice(0, 8) + String(letter).padStart(2, '0') + text.slice(9, 11), Number)
  const factors = [2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1]
  const sum = factors.reduce((total, factor, index) => {
    const product = factor * (digits[index] ?? 0)
    return total + Math.floor(product / 10) + (product % 10)
  }, 0)
  return isDate(String(Number(text.slice(2, 4)) % 50), text.slice(4, 6)) && sum % 10 === Number(text.at(-1))
}

const ODD_PLACES = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23]

/** Italian fiscal code: odd and even places count differently, the last letter is the remainder by 26. */
export function italianFiscalCode(text: string): boolean {
  const upper = text.toUpperCase()
  let sum = 0
  for (let index = 0; index < 15; index++) {
    const code = upper.charCodeAt(index)
    const value = code < 65 ? code - 48 : code - 65
    sum += index % 2 === 0 ? (ODD_PLACES[value] ?? 0) : value
  }
  return String.fromCharCode(65 + (sum % 26)) === upper.at(-1)
}

/** Singapore NRIC and FIN. */
export function singaporeId(text: string): boolean {
  const upper = text.toUpperCase()
  const sum =
    weighted(digitsOf(upper), [2, 7, 6, 5, 4, 3, 2]) + (/^[TG]/.test(upper) ? 4 : upper.startsWith('M') ? 3 : 0)
  const letters = /^[ST]/.test(upper) ? 'JZIHGFEDCBA' : upper.startsWith('M') ? 'XWUTRQPNJLK' : 'XWUTRQPMLNK'
  return letters[upper.startsWith('M') ? 10 - (sum % 11) : sum % 11] === upper.at(-1)
}

/** British NHS number: weights 10 down to 2, remainder by 11. */
export function nhsNumber(text: string): boolean {
  const digits = digitsOf(text)
  const check = 11 - (weighted(digits, [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)
  return check !== 10 && check % 11 === at(digits, 9)
}

/** Australian tax file number. */
export const australianTfn = (text: string): boolean =>
  weighted(digitsOf(text), [1, 4, 3, 7, 5, 8, 6, 9, 10]) % 11 === 0

/** Australian business number: the first digit counts one less. */
export function australianAbn(text: string): boolean {
  const [first = 0, ...rest] = digitsOf(text)
  return first > 0 && weighted([first - 1, ...rest], [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]) % 89 === 0
}

/** Australian Medicare number. */
export const australianMedicare = (text: string): boolean =>
  weighted(digitsOf(text), [1, 3, 7, 9, 1, 3, 7, 9]) % 10 === at(digitsOf(text), 8)

/** Turkish identity number: two check digits. */
export function turkishId(text: string): boolean {
  const digits = digitsOf(text)
  const odd = at(digits, 0) + at(digits, 2) + at(digits, 4) + at(digits, 6) + at(digits, 8)
  const even = at(digits, 1) + at(digits, 3) + at(digits, 5) + at(digits, 7)
  const tenth = (((odd * 7 - even) % 10) + 10) % 10
  const sum = digits.slice(0, 10).reduce((total, digit) => total + digit, 0)
  return at(digits, 0) !== 0 && tenth === at(digits, 9) && sum % 10 === at(digits, 10)
}

/** Thai identity number: weights 13 down to 2, remainder by 11. */
export function thaiId(text: string): boolean {
  const digits = digitsOf(text)
  const sum = weighted(digits, [13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2])
  return at(digits, 0) !== 0 && at(digits, 1) !== 0 && (11 - (sum % 11)) % 10 === at(digits, 12)
}

/** South African identity number: a date of birth, then Luhn. */
export const southAfricanId = (text: string): boolean => isDate(text.slice(4, 6), text.slice(2, 4)) && luhn(text)

/** Korean resident number: a date of birth and the digit for century and sex. */
export function koreanId(text: string): boolean {
  const digits = text.replace(/\D/g, '')
  return isDate(digits.slice(4, 6), digits.slice(2, 4)) && /^[1-8]$/.test(digits.charAt(6))
}

/** Brazilian CPF: two check digits, not all digits alike. */
export function brazilianCpf(text: string): boolean {
  const digits = digitsOf(text)
  const check = (count: number): number => {
    const sum = digits.slice(0, count).reduce((total, digit, index) => total + digit * (count + 1 - index), 0)
    return ((sum * 10) % 11) % 10
  }
  return new Set(digits).size > 1 && check(9) === at(digits, 9) && check(10) === at(digits, 10)
}

/** Swiss AHV number: thirteen digits with the check of an EAN. */
export function swissAhv(text: string): boolean {
  const digits = digitsOf(text)
  const sum = weighted(digits, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3])
  return (10 - (sum % 10)) % 10 === at(digits, 12)
}

/** Dutch citizen service number. */
export const dutchBsn = (text: string): boolean => weighted(digitsOf(text), [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0

/** French social security number: 97 less the remainder of the first thirteen digits. */
export function frenchNir(text: string): boolean {
  const plain = text.replace(/\s/g, '').replace(/2A/i, '19').replace(/2B/i, '18')
  return 97 - mod97(plain.slice(0, 13)) === Number(plain.slice(13))
}

/** US social security number: areas, groups and serials that are never issued, and the ones printed in advertisements. */
export function usSsn(text: string): boolean {
  const digits = text.replace(/\D/g, '')
  const serial = digits.slice(5)
  return !/^(?:000|666|9)/.test(digits) && digits.slice(3, 5) !== '00' && serial !== '0000' && !PRINTED_SSN.has(digits)
}
const PRINTED_SSN = new Set(['078051120', '219099999', '123456789', '987654321', '111111111'])

function isDate(day: string, month: string): boolean {
  return Number(day) >= 1 && Number(day) <= 31 && Number(month) >= 1 && Number(month) <= 12
}
