import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../../..')
const stories = globSync('examples/*/*.ts', { cwd: root })

test('there are examples', () => expect(stories.length).toBeGreaterThan(0))

test.each(stories)('%s ends as it says', (story) => {
  const ran = spawnSync(process.execPath, [resolve(root, story)], { encoding: 'utf8' })
  expect(`${ran.stdout}${ran.stderr} exit ${ran.status}`).toMatch(/ exit 0$/)
})
