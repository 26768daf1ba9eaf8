import type { WriteCheckpointPorts } from '../kernel/audit/write-checkpoint.ts'
import { verifyAudit } from '../kernel/audit/verify-audit.ts'
import type { AuditReport, Checkpoint } from '../kernel/contract/audit.ts'
import { ok, type Result } from '../kernel/contract/problems.ts'
import type { UpOptions } from '../adapters/cli/local-gate.ts'
import { sha256Hex } from '../adapters/keys/digest.ts'
import { openCheckpointFile } from '../adapters/keys/checkpoint-file.ts'
import type { Store, StoreSettings } from '../adapters/stores/open-store.ts'
import { digestBytes, placesIn } from './data-folder.ts'
import { settingsMeant } from './local-gate.ts'
import { storeOf } from './store-of.ts'
import { withIdleStore } from './with-idle-store.ts'

export type OfflineReport = {
  readonly report: AuditReport
  readonly store: Store
  readonly data: string
  /** What is needed to read and check the audit. */
  readonly deps: Pick<WriteCheckpointPorts, 'audit' | 'tables' | 'keys' | 'digest' | 'digestBytes'>
}

/** Verifies the audit of a data folder without a running gate: an auditor need not start what they do not trust. */
export function verifyOffline(options: UpOptions, against: readonly Checkpoint[]): Promise<Result<AuditReport>> {
  const settings = settingsMeant(options)
  if (!settings.ok) return Promise.resolve(settings)
  return withVerified(storeOf(settings.value), { against, compareCheckpointFile: true }, async ({ report }) =>
    ok(report),
  )
}

/** The store in the data folder itself, whatever else the settings name. */
export function embedded(settings: Parameters<typeof storeOf>[0]): StoreSettings {
  const { folder, seal } = storeOf(settings)
  return { folder, ...(seal === undefined ? {} : { seal }) }
}

/** Verifies the audit, and keeps the store open for `use`. */
export async function withVerified<T>(
  place: StoreSettings,
  how: { readonly against: readonly Checkpoint[]; readonly compareCheckpointFile: boolean },
  use: (verified: OfflineReport) => Promise<Result<T>>,
): Promise<Result<T>> {
  return withIdleStore(place, async (store, keys) => {
    const deps = {
      audit: store.audit,
      tables: store.tables,
      keys: keys.checkpoints,
      digest: sha256Hex,
      digestBytes,
    }
    const checkpointFile = how.compareCheckpointFile
      ? { checkpointFile: openCheckpointFile(placesIn(place.folder).keys).state() }
      : {}
    const report = await verifyAudit(deps, { against: how.against, ...checkpointFile })
    return use({ report, store, deps, data: place.folder })
  })
}
