import { expect, test } from 'vitest'
import { chooseSurface } from './smaller-surface.ts'

test('a handful of tools is listed, a thousand are searched', () => {
  expect(chooseSurface({ definitions: 500, own: 900 })).toBe('passthrough')
  expect(chooseSurface({ definitions: 150_000, own: 900 })).toBe('search')
})

test('tools that cost no more than one search are listed', () => {
  expect(chooseSurface({ definitions: 1_600, own: 900 })).toBe('passthrough')
  expect(chooseSurface({ definitions: 1_601, own: 900 })).toBe('search')
})
