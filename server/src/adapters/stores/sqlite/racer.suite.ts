import { race } from '../ledger-racer.suite.ts'
import { openStore } from './open-store.suite.ts'

const [file = '', name = ''] = process.argv.slice(2)
const store = await openStore(file)
await race(store, name)
await store.close()
