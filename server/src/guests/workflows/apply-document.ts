import type { Caller } from '../../kernel/contract/caller.ts'
import { ok, type Result } from '../../kernel/contract/problems.ts'
import type { DocumentHead, DocumentVersion, VersionView } from './workflow.ts'
import { beginRun } from '../../kernel/runs/begin-run.ts'
import { readDocument, spellFault } from './read-document.ts'
import { newSchedules, schedules } from './schedules.ts'
import type { HubDecidesPorts } from '../../kernel/approvals/hub-decides.ts'
import type { Change, Ledger } from '../../kernel/ports/ledger.ts'
import type { Clock, Digest, Ids } from '../../kernel/ports/runtime.ts'
import { isUnrecorded, refuseUnrecorded } from '../../kernel/changes/unrecorded.ts'
import { newRunChanges, addRunEvent } from '../../kernel/runs/run-changes.ts'
import { headId, versionId } from './documents.ts'
import { type Documents } from './api.ts'
import { refuse } from './problems.ts'

export type ApplyPorts = HubDecidesPorts & {
  readonly ledger: Ledger
  readonly documents: Documents
  readonly clock: Clock
  readonly ids: Ids
  readonly digest: Digest
  /** A variable of the gate's environment. */
  readonly environment: (name: string) => string | undefined
  /** The tool servers of this gate, by name. */
  readonly serverSettings: () => Readonly<Record<string, unknown>>
}

export type AppliedDocument = VersionView & { readonly changed: boolean }

const SHOWN_FAULTS = 20

/**
 * Activates a new version. A document with mistakes changes nothing, and neither does the same text again.
 * INVARIANT: versions are numbered without gaps and never change; if two are applied at once, one is rejected.
 */
export async function applyDocument(
  deps: ApplyPorts,
  by: Caller,
  text: string,
  rolled_back_to?: number,
): Promise<Result<AppliedDocument>> {
  const allowed = mayChangeDocuments(by)
  if (!allowed.ok) return allowed
  const read = readDocument(text)
  if (!read.ok) {
    const faults = read.faults.slice(0, SHOWN_FAULTS).map((fault) => spellFault('document', fault))
    return refuse('workflow.invalid', { faults: faults.join('\n'), count: String(read.faults.length) })
  }
  const { document } = read
  const absent = document.secrets
    .filter(({ required, envVar }) => required && (deps.environment(envVar) ?? '') === '')
    .map(({ name }) => name)
  if (absent.length > 0) return refuse('call.secret_absent', { secret: absent.join(', ') })
  // The gate, not the document, chooses where approvals are decided: a document that expects otherwise is rejected.
  const { transport } = document.approvals
  if (deps.hub === undefined && transport === 'hub') return refuse('hub.absent')
  if (deps.hub !== undefined && transport === 'local') return refuse('hub.local_transport', { hub: deps.hub.where })
  const missing = document.mcps.map((one) => one.name).filter((one) => !Object.hasOwn(deps.serverSettings(), one))
  if (missing.length > 0) return refuse('workflow.server_missing', { servers: missing.join(', ') })
  const { name } = document.metadata
  const held = await deps.documents.head(name)
  const sha256 = deps.digest(text)
  if (held !== undefined && held.row.sha256 === sha256 && rolled_back_to === undefined) {
    const { current, author, at } = held.row
    return ok({ name, version: current, sha256, author, at, changed: false })
  }
  const at = deps.clock()
  const number = (held?.row.current ?? 0) + 1
  const version: DocumentVersion = {
    v: 1,
    part: 'version',
    name,
    number,
    sha256,
    author: by.id,
    at,
    text,
    ...(rolled_back_to === undefined ? {} : { rolled_back_to }),
  }
  const timers = document.gateways.filter(({ type }) => type === 'cron').map((gateway) => gateway.name)
  const run_id = deps.ids.run()
  const head: DocumentHead = {
    v: 1,
    part: 'head',
    name,
    current: number,
    sha256,
    owner: held?.row.owner ?? by.user,
    at,
    author: by.id,
    ...(timers.length === 0 ? {} : { schedules: run_id }),
  }
  const former = held?.row.schedules
  const changes: Change[] = [
    { kind: 'swap', table: 'documents', id: headId(name), from: held?.version ?? 'absent', to: head },
    { kind: 'swap', table: 'documents', id: versionId(name, number), from: 'absent', to: version },
    // The schedules of the former version stop with it.
    ...(former === undefined ? [] : addRunEvent(former as `run_${string}`, { type: 'run.cancel', by: by.id })),
    ...(timers.length === 0
      ? []
      : newRunChanges(
          beginRun(
            schedules,
            run_id,
            newSchedules({ document: name, version: number, gateways: timers, since: at }),
            at,
            { document: `${name}@${number}` },
          ),
          { type: 'schedules.started' },
        )),
    {
      kind: 'audit',
      entry: {
        at,
        type: rolled_back_to === undefined ? 'workflow.applied' : 'workflow.rolled_back',
        actor: by.id,
        trace: deps.ids.trace(),
        subject: { document: `${name}@${number}` },
        about: { sha256, ...(rolled_back_to === undefined ? {} : { to: rolled_back_to }) },
      },
    },
  ]
  const committed = await deps.ledger.commit(changes)
  if (isUnrecorded(committed)) return refuseUnrecorded(committed)
  if (committed !== 'committed') return refuse('workflow.conflict', { name })
  return ok({
    name,
    version: number,
    sha256,
    author: by.id,
    at,
    changed: true,
    ...(rolled_back_to === undefined ? {} : { rolled_back_to }),
  })
}

/** Documents act in nobody's name, so only an admin changes and starts them. */
export const mayChangeDocuments = ({ kind }: Caller): Result<void> =>
  kind === 'admin' ? ok(undefined) : refuse('auth.forbidden', { needs: 'admin' })

/** Applies the text of an earlier version as a new one. */
export async function rollBack(
  deps: ApplyPorts,
  by: Caller,
  name: string,
  to: number | undefined,
): Promise<Result<AppliedDocument>> {
  const allowed = mayChangeDocuments(by)
  if (!allowed.ok) return allowed
  const held = await deps.documents.head(name)
  const wanted = to ?? (held?.row.current ?? 1) - 1
  const version = held === undefined ? undefined : await deps.documents.version(name, wanted)
  if (version === undefined) return refuse('workflow.unknown', { name, version: String(wanted) })
  return applyDocument(deps, by, version.row.text, wanted)
}
