import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { turnedTexts } from './disguised-runs.ts'
import { encodedTexts } from './encoded-runs.ts'
import { encodingHints, MAY } from './encoding-hints.ts'
import { encodedText } from '../../../test/encoded-texts.ts'
import { readingsOf } from './readings.ts'

const RUNS = 2_000
/** Every hint is set, so nothing is skipped. */
const EVERYTHING = -1

test('law: the hints skip nothing that a text contains', () => {
  fc.assert(
    fc.property(encodedText, (text) => {
      expect(encodedTexts(text, encodingHints(text))).toEqual(encodedTexts(text, EVERYTHING))
      expect(readingsOf(text)).toEqual(readingsOf(text, () => EVERYTHING))
    }),
    { numRuns: RUNS },
  )
})

/** What each hint means, as the functions that read encodings define it. */
const MEANING: Readonly<Record<keyof typeof MAY, RegExp>> = {
  otherLetters: /[^\0-\x7f]/,
  percents: /%/,
  escapes: /\\/,
  entities: /&/,
  quotedPrintable: /=[0-9A-F]{2}/,
  base64: /[A-Za-z0-9+/_-]{14}/,
  base32: /[A-Za-z2-7]{24}/,
  hex: /(?:(?:0x|\\x)?[0-9A-Fa-f]{2}[ :,-]?){10}/,
  codes: /(?:\d{2,3}[ ,;:_/.-]{1,2}){10}|(?:[01]{8}[ ,_-]?){10}/,
}

test('law: a text that matches the meaning of a hint has the hint', () => {
  fc.assert(
    fc.property(encodedText, (text) => {
      const may = encodingHints(text)
      const missed = Object.entries(MEANING).filter(([name, meaning]) => {
        const isHinted = (may & MAY[name as keyof typeof MAY]) !== 0
        return meaning.test(text) && !isHinted
      })
      expect(missed).toEqual([])
    }),
    { numRuns: RUNS },
  )
})

test('plain words and numbers have no hint, so they are read once', () => {
  expect(encodingHints('the quarterly figures are in the shared folder, where they were read before noon')).toBe(0)
  expect(encodingHints('call 42 at 10:30, or on 2026-11-16.')).toBe(0)
  expect(encodingHints('')).toBe(0)
})

test('a run that is longer than a count can be is still noticed', () => {
  for (const length of [14, 63, 64, 127, 128, 255, 256, 300, 5_000])
    expect(encodingHints(`x ${'A'.repeat(length)} y`) & MAY.base64).toBe(MAY.base64)
  expect(encodingHints('Z'.repeat(1_000))).toBe(MAY.base64 | MAY.base32)
})

test.each(['QUJDREVGR0gxMg', '41424344454647483132', '65,66,67,68,69,70,71,72,49,50,'])(
  'the shortest run is read, whatever follows it: %s',
  (run) => {
    for (const after of ['', ' ', '<', '=', '\u00e9'])
      expect(readingsOf(`<${run}${after}`, () => EVERYTHING)).toEqual(readingsOf(`<${run}${after}`))
    expect(encodingHints(`<${run}<`)).not.toBe(0)
  },
)

// The same texts, decoded by the simplest algorithm.
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const BASE32 = BASE64.slice(0, 26) + '234567'

function obviousTexts(text: string): string[] {
  const whole = /[A-Za-z0-9+/]{40}\s/.test(text) ? text.replace(/\s+/g, '') : text
  const plain = (run: string) => run.replaceAll('-', '+').replaceAll('_', '/')
  const base64 = runsOf(whole, /[A-Za-z0-9+/_-]{14,}/g).flatMap((run) => atOffsets(plain(run), 4, BASE64, 6))
  const base32 = runsOf(text, /[A-Za-z2-7]{24,}/g)
    .filter((run) => /\d/.test(run))
    .flatMap((run) => atOffsets(run.toUpperCase(), 8, BASE32, 5))
  const hex = runsOf(text, /(?:(?:0x|\\x)?[0-9A-Fa-f]{2}[ :,-]?){10,}/g).flatMap((run) =>
    atOffsets(run.replace(/0x|\\x|[ :,-]/g, '').toLowerCase(), 2, '0123456789abcdef', 4),
  )
  return [...base64, ...hex, ...base32]
}

const runsOf = (text: string, shape: RegExp): string[] => [...(text.match(shape) ?? [])]

function atOffsets(run: string, offsets: number, alphabet: string, width: number): string[] {
  return Array.from({ length: offsets }, (_, offset) => {
    const bits = Array.from(run.slice(offset), (char) => alphabet.indexOf(char).toString(2).padStart(width, '0')).join(
      '',
    )
    const bytes = (bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2))
    const chars = bytes.filter((byte) => byte !== 0).map((byte) => String.fromCharCode(byte))
    return chars.join('').match(/[\x20-\x7e\n\r\t]{10,}/g) ?? []
  }).flat()
}

test('law: runs are decoded as the simplest algorithm decodes them', () => {
  fc.assert(
    fc.property(encodedText, (text) => {
      expect(encodedTexts(text, encodingHints(text))).toEqual(obviousTexts(text))
    }),
    { numRuns: RUNS },
  )
})

test('law: runs are reversed and rotated as the simplest algorithm does it', () => {
  const rotated = (text: string) =>
    text.replace(/[a-z]/gi, (one) => String.fromCharCode(one.charCodeAt(0) + (one.toLowerCase() < 'n' ? 13 : -13)))
  const obvious = (text: string) =>
    (text.match(/(?<![\w+/=.~-])[\w+/=.~-]{16,400}(?![\w+/=.~-])/g) ?? [])
      .filter((run) => /\d/.test(run) && /[A-Za-z]/.test(run))
      .flatMap((run) => [...new Set([run, ...run.split(/[/=]/)])].filter((part) => part.length >= 10))
      .flatMap((part) => [Array.from(part).toReversed().join(''), rotated(part)])
  fc.assert(
    fc.property(encodedText, (text) => {
      expect(turnedTexts(text)).toEqual(obvious(text))
    }),
    { numRuns: RUNS },
  )
})
