import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { STEP_NAMES, STEP_TYPES } from './steps.ts'

test('every type of step is done either at once or by work', () => {
  expect(STEP_TYPES.filter(({ advance, work }) => (advance === undefined) === (work === undefined))).toEqual([])
})

test('the name of a step type is in one file only, so that adding a type is one file and one line', () => {
  const folder = join(import.meta.dirname, '..')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    // The tool server for messages has a tool of the same name as a step.
    (file) => file.endsWith('.ts') && !/\.(test|suite)\.ts$|^test\/|messages-server|tool-names/.test(file),
  )
  const texts = files.map((file) => [file, readFileSync(join(folder, file), 'utf8')] as const)
  for (const name of STEP_NAMES.filter((one) => one !== 'tool' && one !== 'plan'))
    expect(
      texts.filter(([, text]) => text.includes(`'${name}'`)).map(([file]) => file),
      name,
    ).toHaveLength(1)
})
