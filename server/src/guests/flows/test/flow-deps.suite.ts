import { randomIds } from '../../../main/random-ids.ts'
import type { ExecuteFlowPorts } from '../execute-flow-step.ts'
import type { PasskeyPorts } from '../../../kernel/identity/passkeys.ts'
import type { Ledger } from '../../../kernel/ports/ledger.ts'
import type { Accounts, Tables } from '../../../kernel/ports/reads.ts'
import type { Tool } from '../../../kernel/contract/tool.ts'
import { sha256Hex } from '../../../adapters/keys/digest.ts'
import { openLedger } from '../../../adapters/stores/postgres/open-ledger.suite.ts'
import { openStore } from '../../../adapters/stores/sqlite/open-store.suite.ts'
import { TEST_PROOFS } from '../../../../test/tool-servers/with-ledger.ts'
import { ON } from './flow-samples.suite.ts'

export type Engine = 'sqlite' | 'postgres'

export const openEngine = (engine: Engine, address: string) =>
  engine === 'sqlite' ? openStore(address) : openLedger(address)

/** The flow commands on a real store, without a driver: an execution is recorded and stays as it is. */
export function flowDeps(store: Ledger & Tables & Accounts): ExecuteFlowPorts & PasskeyPorts {
  return {
    ledger: store,
    tables: store,
    accounts: store,
    clock: Date.now,
    ids: randomIds,
    digest: sha256Hex,
    ...TEST_PROOFS,
    flowSettings: { grants: [], skill_packs: { notes: ['book__look'] }, evaluation: 'required' },
    flowPolicy: { env: {}, file: async () => ({ text: JSON.stringify(ON) }) },
    judgement: {
      servers: {},
      scanner: { redact: async (text: string) => text },
    } as unknown as ExecuteFlowPorts['judgement'],
    catalogue: { tool: () => ({}) as Tool },
    models: { hasLane: () => true },
    intake: { closedBy: () => undefined, close: () => () => {} },
    watch: { onRow: () => () => {} },
    after: () => () => {},
    stopping: new AbortController().signal,
  }
}
