import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

const css = readFileSync(resolve(import.meta.dirname, '../src/styles/tokens.css'), 'utf8')
const TOKENS = new Map(
  [...css.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map(
    ([, name = '', light = '', dark = '']) => [name, [light, dark] as const],
  ),
)

/** WCAG 2.x: relative luminance and the ratio of two. */
function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}
function contrast(one: string, two: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(two)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

const SURFACES = ['canvas', 'surface', 'sunken', 'hover', 'selected']
const WORDS: Readonly<Record<string, readonly string[]>> = {
  text: [...SURFACES, 'ask-soft', 'block-soft', 'allow-soft', 'taint-soft', 'accent-soft'],
  'text-2': [...SURFACES, 'ask-soft', 'block-soft', 'allow-soft', 'taint-soft', 'accent-soft'],
  'text-3': SURFACES,
  'accent-text': [...SURFACES, 'accent-soft', 'taint-soft', 'ask-soft', 'block-soft'],
  'on-accent': ['accent', 'accent-hover'],
  'on-danger': ['danger', 'danger-hover'],
  'on-ink': ['ink'],
  'allow-text': ['surface', 'canvas', 'hover', 'selected', 'allow-soft'],
  'ask-text': ['surface', 'canvas', 'hover', 'selected', 'ask-soft'],
  'block-text': ['surface', 'canvas', 'hover', 'selected', 'block-soft'],
  'taint-text': ['surface', 'canvas', 'hover', 'selected', 'taint-soft'],
  'risk-low': SURFACES,
  'risk-medium': SURFACES,
  'risk-high': SURFACES,
  'risk-critical': SURFACES,
  'add-text': ['add-soft'],
  'del-text': ['del-soft'],
}
const LINES: Readonly<Record<string, readonly string[]>> = {
  control: ['surface', 'canvas'],
  focus: SURFACES,
  'chart-1': ['surface'],
  'chart-allow': ['surface'],
  'chart-ask': ['surface'],
  'chart-block': ['surface'],
}

/** Pairs that are too close, in either theme. */
function tooClose(pairs: Readonly<Record<string, readonly string[]>>, least: number): readonly string[] {
  return Object.entries(pairs).flatMap(([front, backs]) =>
    backs.flatMap((back) =>
      [0, 1].flatMap((theme) => {
        const [one, two] = [TOKENS.get(front)?.[theme], TOKENS.get(back)?.[theme]]
        if (one === undefined || two === undefined) return [`${front} or ${back} is no token`]
        const ratio = contrast(one, two)
        return ratio >= least ? [] : [`${front} on ${back}, ${theme === 0 ? 'light' : 'dark'}: ${ratio.toFixed(2)}`]
      }),
    ),
  )
}

test('text has a contrast of at least 4.5 on every background, in both themes', () => {
  expect(tooClose(WORDS, 4.5)).toEqual([])
})

test('lines, rings and charts have a contrast of at least 3', () => {
  expect(tooClose(LINES, 3)).toEqual([])
})
