import { expect, test } from 'vitest'
import { canMatch } from './glob-reach.ts'

const DATA = '/home/ana/work/.sluice'

test.each([
  '/home/ana/work/.sluice',
  '/home/ana/work/.sluice/admin.key',
  '/home/ana/work/.s*',
  '/home/*/work/.sl?ice',
  '/home/**/.sluice',
  '/home/ana/work/{.sluice,other}/admin.key',
  '/home/ana/work/.{slu,x}{ice,y}',
  '/home/ana/{work,{a,b}}/.sluice',
  '/home/ana/work/{.sluice}',
  '/home/ana/work/.sluic{a..z}',
  '/home/ana/work/{.slu',
  '/home/ana/work/.slu{',
  '/home/ana/work/{a..z}',
  `/home/ana/work/${'{a,b}'.repeat(10)}`,
])('%s targets the folder', (pattern) => expect(canMatch(pattern, DATA)).toBe(true))

test.each([
  '/home/ana/work/*',
  '/home/ana/work/**',
  '/home/ana/other/.sluice',
  '/home/ana/work/{"a": 1}',
  '/home/ana/work/{"a": 1, "b": [1, 2]}',
  '/home/ana/work/{ "a": { "b": "x" } }',
  '/home/ana/work/{{name}}',
  '/home/ana/work/{name}',
  '/home/ana/work/{',
  '/home/ana/work/{}',
  '/home/ana/work/{ice',
])('%s targets nothing of it', (pattern) => expect(canMatch(pattern, DATA)).toBe(false))
