import { expect, test } from 'vitest'
import { canMatch } from './glob-reach.ts'

const DATA = '/home/ana/project/.sluice'

test.each([
  '/home/ana/project/.sluice',
  '/home/ana/project/.sluice/admin.key',
  '/home/ana/project/.s*',
  '/home/*/project/.sl?ice',
  '/home/**/.sluice',
  '/home/ana/project/{.sluice,other}/admin.key',
  '/home/ana/project/.{slu,x}{ice,y}',
  '/home/ana/{project,{a,b}}/.sluice',
  '/home/ana/project/{.sluice}',
  '/home/ana/project/.sluic{a..z}',
  '/home/ana/project/{.slu',
  '/home/ana/project/.slu{',
  '/home/ana/project/{a..z}',
  `/home/ana/project/${'{a,b}'.repeat(10)}`,
])('%s targets the folder', (pattern) => expect(canMatch(pattern, DATA)).toBe(true))

test.each([
  '/home/ana/project/*',
  '/home/ana/project/**',
  '/home/ana/other/.sluice',
  '/home/ana/project/{"a": 1}',
  '/home/ana/project/{"a": 1, "b": [1, 2]}',
  '/home/ana/project/{ "a": { "b": "x" } }',
  '/home/ana/project/{{name}}',
  '/home/ana/project/{name}',
  '/home/ana/project/{',
  '/home/ana/project/{}',
  '/home/ana/project/{ice',
])('%s targets nothing of it', (pattern) => expect(canMatch(pattern, DATA)).toBe(false))
