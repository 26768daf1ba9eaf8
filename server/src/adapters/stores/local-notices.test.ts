import { localMembers } from './local-notices.ts'
import { noticesSuite } from './notices.suite.ts'

noticesSuite('embedded', {
  async join(count) {
    const nodes = localMembers()
    return Array.from({ length: count }, () => nodes.join())
  },
  settled: async () => {},
})
