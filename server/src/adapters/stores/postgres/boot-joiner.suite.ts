import { joinBoots } from './boots.ts'
import { addressOf, TEST_LEASE } from './open-ledger.suite.ts'

const address = addressOf(process.argv[2] ?? '')
const joined = await joinBoots({ address, tuning: TEST_LEASE, onOwnDeath: () => process.exit(3) })
if (!joined.ok) throw new Error(JSON.stringify(joined.problem))
process.stdout.write(`${joined.value.boot}\n`)
setInterval(() => {}, 1_000)
