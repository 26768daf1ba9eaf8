import { expect, test } from 'vitest'
import { chooseSurface } from './choose-surface.ts'

test('a handful of tools is shown as it is, a thousand are searched', () => {
  expect(chooseSurface({ definitions: 500, own: 900 })).toBe('passthrough')
  expect(chooseSurface({ definitions: 150_000, own: 900 })).toBe('search')
})

test('tools that cost as much as searching for one are shown: that saves the search', () => {
  expect(chooseSurface({ definitions: 1_600, own: 900 })).toBe('passthrough')
  expect(chooseSurface({ definitions: 1_601, own: 900 })).toBe('search')
})
