import { expect, test } from 'vitest'
import type { Change } from '../../../kernel/ports/ledger.ts'
import { emptyHead } from '../../../kernel/audit/chain.ts'
import { NO_KEYS } from '../once-sum.ts'
import { note, runId } from '../ledger-fixtures.suite.ts'
import { decideGroup } from './decide-group.ts'
import { packCommit } from './packed-change.ts'

const known = {
  version: () => undefined,
  once: () => undefined,
  account: () => undefined,
  last: () => undefined,
  head: emptyHead('main'),
  keys: NO_KEYS,
  isSameAudit: true,
}

const REST: Change = { kind: 'rest', run: runId(1), cursor: 0 }
const LATER: Change = { kind: 'sync_later', repeated: true }

const CASES: readonly (readonly [says: string, commits: readonly (readonly Change[])[], isLater: boolean])[] = [
  ['every commit says that it may be lost', [[REST, LATER], [LATER]], true],
  ['another commit in the group has to be durable', [[REST, LATER], [REST]], false],
  ['it has to survive a crash of the server', [[REST, { kind: 'sync_later' }]], false],
  ['it says so, but something was added after it', [[LATER, REST]], false],
  ['an audit entry would be missing after a crash of the server', [[note('c1'), LATER]], false],
  ['a used key would be missing', [[{ kind: 'once', key: 'k', until: 1 }, LATER]], false],
  ['an empty commit makes all earlier ones durable', [[REST, LATER], []], false],
]

test.each(CASES)('whether a group waits for its flush: %s', (_, commits, isLater) => {
  const decided = decideGroup(commits.map(packCommit), known, (text) => text)
  expect(decided?.plan.isSyncedLater).toBe(isLater)
})
