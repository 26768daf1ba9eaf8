import { race } from '../ledger-racer.suite.ts'
import { openSqliteLedger } from './open-sqlite-ledger.ts'

const [file = '', name = ''] = process.argv.slice(2)
const opened = await openSqliteLedger({
  file,
  stream: 'main',
  onFault: (error) => process.stderr.write(`${error.message}\n`),
})
if (!opened.ok) throw new Error(JSON.stringify(opened.problem))
await race(opened.value, name)
await opened.value.close()
