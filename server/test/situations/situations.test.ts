import { expect, test } from 'vitest'
import { A_DECIDED_CALL } from './a-decided-call.ts'
import { A_NEW_CALL } from './a-new-call.ts'
import { OVERTAKEN } from './overtaken.ts'
import { transcriptOf } from './stage.ts'

/**
 * What the corridor writes and answers in every situation that it treats differently, as text in `test/goldens/situations`. Change one of
 * these only on purpose: `npx vitest run -u server/test/situations`, and read the difference.
 */
const GROUPS = { 'a-new-call': A_NEW_CALL, overtaken: OVERTAKEN, 'a-decided-call': A_DECIDED_CALL }

for (const [group, situations] of Object.entries(GROUPS))
  test(`the corridor: ${group.replaceAll('-', ' ')}`, { timeout: 300_000 }, async () => {
    const texts: string[] = []
    for (const situation of situations) texts.push(`## ${situation[0]}\n\n${await transcriptOf(situation)}\n`)
    await expect(texts.join('\n')).toMatchFileSnapshot(`../goldens/situations/${group}.txt`)
  })
