/** What a text may contain, as bits. A missing bit is certain; a set bit has to be checked. */
export const MAY = {
  otherLetters: 1,
  base64: 1 << 6,
  percents: 1 << 7,
  base32: 1 << 14,
  escapes: 1 << 15,
  hex: 1 << 22,
  entities: 1 << 23,
  codes: 1 << 30,
  quotedPrintable: 1 << 31,
} as const
const ASCII_HINTS = Object.values(MAY).reduce((all, bit) => all | bit, 0) & ~MAY.otherLetters

// Four lengths of runs are counted at once, each in a byte of one integer. A count starts so far below 64 that its bit 6 is set
// when the run is long enough. Bit 7 is free, and says that a certain character occurred.
const LONG_ENOUGH = 64
const WITHOUT_BIT_7 = 0x7f
const ONE_EACH = 0x01010101

/** The characters that runs consist of, including what may separate their bytes, and how long such a run is at least. */
const RUNS: readonly { readonly chars: RegExp; readonly least: number; readonly shift: number }[] = [
  { chars: /[A-Za-z0-9+/_-]/, least: 14, shift: 0 },
  { chars: /[A-Za-z2-7]/, least: 24, shift: 8 },
  { chars: /[0-9A-Fa-fx\\ :,-]/, least: 20, shift: 16 },
  { chars: /[0-9 ,;:_/.-]/, least: 30, shift: 24 },
]
const MARKS: Readonly<Record<string, number>> = {
  '%': MAY.percents,
  '\\': MAY.escapes,
  '&': MAY.entities,
  '=': MAY.quotedPrintable,
}

const startOf = (runs: typeof RUNS) =>
  runs.reduce((bits, { least, shift }) => bits | ((LONG_ENOUGH - least) << shift), 0)
const maskOf = (runs: typeof RUNS) => runs.reduce((bits, { shift }) => bits | (WITHOUT_BIT_7 << shift), 0)
const ofEachCode = (bitsOf: (char: string) => number) =>
  Int32Array.from({ length: 128 }, (_, code) => bitsOf(String.fromCharCode(code)))

const ALL_START = startOf(RUNS)
/** The counts that a character continues; and the start of those that it ends, with its mark. */
const CONTINUED = ofEachCode((char) => maskOf(RUNS.filter(({ chars }) => chars.test(char))))
const STARTED = ofEachCode((char) => startOf(RUNS.filter(({ chars }) => !chars.test(char))) | (MARKS[char] ?? 0))

/**
 * Which encodings a text may contain, in one pass that allocates nothing: each needs a character of its own, or a run of its
 * characters that is long enough.
 * INVARIANT: a text without a bit has no reading in that encoding (law in encoding-hints.test.ts).
 */
export function encodingHints(text: string): number {
  let counts = ALL_START
  let seen = 0
  let others = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 128) {
      counts = ((counts + ONE_EACH) & (CONTINUED[code] ?? 0)) | (STARTED[code] ?? 0)
      seen |= counts
    } else {
      counts = ALL_START
      others = MAY.otherLetters
    }
  }
  return (seen & ASCII_HINTS) | others
}

/** The same for ASCII codes. */
export function hintsOfCodes(codes: Uint8Array, length: number): number {
  let counts = ALL_START
  let seen = 0
  for (let at = 0; at < length; at++) {
    const code = codes[at] ?? 0
    counts = ((counts + ONE_EACH) & (CONTINUED[code] ?? 0)) | (STARTED[code] ?? 0)
    seen |= counts
  }
  return seen & ASCII_HINTS
}
