import { expect, test } from 'vitest'
import { listApprovals, type ApprovalFilter } from '../read-approvals.ts'
import { AGENT, APPROVER, pendingOf, withGate } from '../../../../test/helpers/with-gate.ts'

test('requests are filtered by tool, caller and time before they are paged', () =>
  withGate(async ({ call, ports }) => {
    const other = { caller: { ...AGENT, id: 'agent:b' } }
    const [first, second, third] = [
      pendingOf(await call('book__note', { text: 'one' })),
      pendingOf(await call('book__note', { text: 'two' }, other)),
      pendingOf(await call('book__slow_note', { text: 'three' }, other)),
    ].map(({ approval_id }) => approval_id)
    const list = async (filter: ApprovalFilter, limit = 50, after?: number) => {
      const page = { limit, ...(after === undefined ? {} : { after }) }
      const { items, next } = await listApprovals(ports, APPROVER, 'pending', page, filter)
      return { ids: items.map(({ approval_id }) => approval_id), next }
    }
    expect((await list({ tool: 'book__note' })).ids).toEqual([first, second])
    expect((await list({ caller: 'agent:b' })).ids).toEqual([second, third])
    expect((await list({ caller: 'agent:b', tool: 'book__note' })).ids).toEqual([second])
    const now = ports.clock()
    expect((await list({ since: now + 60_000 })).ids).toEqual([])
    expect((await list({ since: now - 60_000, until: now + 60_000 })).ids).toEqual([first, second, third])
    const page = await list({ caller: 'agent:b' }, 1)
    expect(page.ids).toEqual([second])
    expect((await list({ caller: 'agent:b' }, 1, page.next)).ids).toEqual([third])
  }))
