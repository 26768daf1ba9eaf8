import { race } from '../ledger-racer.suite.ts'
import { openLedger } from './open-ledger.suite.ts'

const [address = '', name = ''] = process.argv.slice(2)
const ledger = await openLedger(address)
await race(ledger, name)
await ledger.close()
