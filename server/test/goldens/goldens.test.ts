import { join } from 'node:path'
import { expect, test } from 'vitest'
import { GOLDENS } from '../../../scripts/goldens.ts'

/** Change them only on purpose, with `npm run generate`, and read the difference. The problem codes have a test of their own. */
test.each(Object.entries(GOLDENS))('%s is what others rely on', async (name, make) => {
  const text = await make()
  expect(text.length).toBeGreaterThan(5_000)
  await expect(text).toMatchFileSnapshot(join(import.meta.dirname, name))
})
