import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withVerified } from '../../src/main/verify-offline.ts'
import type { Rows, Table } from '../../src/kernel/ports/ledger.ts'
import type { AuditReads, Tables } from '../../src/kernel/ports/reads.ts'
import type { AuditEntry } from '../../src/kernel/contract/audit.ts'
import type { Json } from '../../src/kernel/contract/json.ts'
import { ok } from '../../src/kernel/contract/problems.ts'
import { canonicalJson } from '../../src/kernel/json/canonical.ts'
import { sha256Hex } from '../../src/adapters/keys/digest.ts'
import type { StoreSettings } from '../../src/adapters/stores/open-store.ts'
import type { History, Receipt } from './history.ts'

const PAGE = 500

/** The same hash that the gate makes of arguments. */
export function hashOf(args: unknown): string {
  const text = canonicalJson(args as Json)
  return text.ok ? sha256Hex(text.value) : 'not canonical'
}

/** A tool server's log. The last line may be torn: its writer was killed. */
export function readReceipts(file: string): readonly Receipt[] {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => (line.endsWith('}') ? [JSON.parse(line) as Receipt] : []))
}

/** The ledger and the audit of a store. In a folder no gate may run; beside a database the nodes may. */
export async function readLedger(place: StoreSettings): Promise<Omit<History, 'receipts' | 'records'>> {
  const copy = place.postgres === undefined ? undefined : mkdtempSync(join(tmpdir(), 'sluice-history-'))
  const folder = copy ?? place.folder
  if (copy !== undefined) {
    mkdirSync(copy, { recursive: true, mode: 0o700 })
    cpSync(join(place.folder, 'keys'), join(copy, 'keys'), { recursive: true })
  }
  try {
    const read = await withVerified(
      { ...place, folder },
      { against: [], compareCheckpointFile: true },
      async ({ report, store }) =>
        ok({
          calls: await allOf(store.tables, 'calls'),
          approvals: await allOf(store.tables, 'approvals'),
          consents: await allOf(store.tables, 'consents'),
          runs: await allOf(store.tables, 'runs'),
          audit: await entriesOf(store.audit),
          report,
        }),
    )
    if (!read.ok) throw new Error(JSON.stringify(read.problem))
    return read.value
  } finally {
    if (copy !== undefined) rmSync(copy, { recursive: true, force: true })
  }
}

async function allOf<T extends Table>(tables: Tables, table: T): Promise<readonly Rows[T][]> {
  const rows: Rows[T][] = []
  let after: number | undefined
  for (;;) {
    const page = await tables.list(table, {}, { limit: PAGE, ...(after === undefined ? {} : { after }) })
    const last = page.at(-1)
    if (last === undefined) return rows
    after = last.cursor
    rows.push(...page.map(({ row }) => row))
  }
}

async function entriesOf(audit: AuditReads): Promise<readonly AuditEntry[]> {
  const entries: AuditEntry[] = []
  for (const { stream, seq } of await audit.heads())
    for (let from = 1; from <= seq; from += PAGE) entries.push(...(await audit.entries(stream, from, PAGE)))
  return entries.toSorted((one, other) => one.at - other.at)
}
