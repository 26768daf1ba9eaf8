import { expect, test } from 'vitest'
import type { LiveCatalogue } from '../../src/kernel/catalogue/catalogue.ts'
import { followMembers, announcingPolicy } from '../../src/kernel/changes/follow-members.ts'
import type { LivePolicy } from '../../src/kernel/policy/live-policy.ts'
import type { Notices } from '../../src/kernel/ports/notices.ts'
import { ok } from '../../src/kernel/contract/problems.ts'
import { localMembers } from '../../src/adapters/stores/local-notices.ts'

/** A node without a store; `did` records what it was asked to do. */
function nodeWith(notices: Notices) {
  const did: string[] = []
  let missed = () => {}
  let version = 1
  const listeners: Parameters<LiveCatalogue['onRefresh']>[0][] = []
  const catalogue: Pick<LiveCatalogue, 'refresh' | 'onRefresh'> = {
    async refresh(server, tool_ids = ['all'], origin = 'here') {
      did.push(`read ${server} ${tool_ids.join(' ')}`)
      for (const listener of listeners) listener(server, tool_ids, origin)
    },
    onRefresh: (listener) => void listeners.push(listener),
  }
  const quiet: LivePolicy['reload'] = async (because) => {
    did.push(`policy because of ${because}`)
    return ok({ version: String((version += 1)), before: 'v', changed: because !== 'catalogue' })
  }
  const live = announcingPolicy({ reload: quiet } as LivePolicy, notices)
  const stop = followMembers({
    notices: { ...notices, onMissed: (listener) => ((missed = listener), () => {}) },
    catalogue,
    live,
    servers: ['mail', 'book'],
    onFault: (error) => void did.push(String(error)),
  })
  return { did, catalogue, live, stop, miss: () => missed() }
}

function twoNodes() {
  const hub = localMembers()
  return [nodeWith(hub.join()), nodeWith(hub.join())] as const
}
const settled = () => new Promise((resolve) => setImmediate(resolve))

test('tools that another node wrote are read again, with the policy, and are not announced again', async () => {
  const [here, there] = twoNodes()
  await here.catalogue.refresh('mail', ['mail__send'])
  await settled()
  expect(here.did).toEqual(['read mail mail__send'])
  expect(there.did).toEqual(['read mail mail__send', 'policy because of catalogue'])
})

test('a policy that came into force on one node is read once on the other', async () => {
  const [here, there] = twoNodes()
  await here.live.reload('request')
  await settled()
  expect([here.did, there.did]).toEqual([['policy because of request'], ['policy because of node']])
})

test('a node that missed notices reads everything again, and a stopped node reads nothing', async () => {
  const [here, there] = twoNodes()
  here.miss()
  await settled()
  expect(here.did.filter((one) => one.startsWith('read'))).toEqual(['read mail all', 'read book all'])
  expect(here.did).toContain('policy because of node')
  there.stop()
  there.did.length = 0
  await here.catalogue.refresh('mail', [])
  await settled()
  expect(there.did).toEqual([])
})
