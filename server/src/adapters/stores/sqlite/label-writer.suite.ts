import { openStore } from './open-store.suite.ts'

// Another process with the same key, which does not hold the folder's lock.
const [file = '', session = ''] = process.argv.slice(2)
const store = await openStore(file)
await store.commit([
  {
    kind: 'swap',
    table: 'labels',
    id: 'theirs',
    from: 'absent',
    to: { v: 1, label_id: 'theirs', session, at: 1, kind: 'log', source: {}, text: 'theirs' },
  },
])
await store.close()
