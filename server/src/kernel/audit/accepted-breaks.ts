import type { AcceptedBreak, AuditFinding, Checkpoint, CheckpointBody } from '../contract/audit.ts'
import { checkpointId } from './checkpoint.ts'
import { checkpointFinding, isSigned, readCheckpoint, type Signers } from './verify-checkpoint.ts'
import type { Tables } from '../ports/reads.ts'

type BreakPorts = { readonly tables: Pick<Tables, 'list' | 'row'>; readonly keys: Signers }

/** Where verification starts after an accepted break. */
export type VerificationBase = {
  readonly body: CheckpointBody
  readonly cursor: number | undefined
  readonly breaks: readonly AcceptedBreak[]
  /** The checkpoint of the break is missing, or is not signed. */
  readonly finding?: AuditFinding
}

/** Undefined if no break was ever accepted: then verification starts at the first entry. */
export async function verificationBase(
  deps: BreakPorts,
  saved: Checkpoint | undefined,
): Promise<VerificationBase | undefined> {
  const number = await sinceBreak(deps, saved)
  if (number === 0) return undefined
  const held = await storedBreak(deps, number)
  if (held !== undefined) return { body: held.body, cursor: held.cursor, breaks: await breaksFrom(deps, number) }
  const says = `checkpoint ${number}, which contains an accepted break, is missing or not signed by a key of this gate`
  const finding = checkpointFinding('checkpoint_missing', number, says)
  const body: CheckpointBody = { v: 1, number, at: 0, count: 0, prev: '', streams: [] }
  return { body, cursor: undefined, breaks: [], finding }
}

/** According to the newest signed checkpoint, whether stored in the ledger or beside the keys. */
async function sinceBreak({ tables, keys }: BreakPorts, saved: Checkpoint | undefined): Promise<number> {
  const stored = await tables.list('checkpoints', {}, { limit: 1, newest_first: true }).catch(() => [])
  const known = [readCheckpoint(stored[0]?.row), saved].filter((one) => one !== undefined && isSigned(one, keys))
  return Math.max(0, ...known.map((one) => one?.body.since_break ?? 0))
}

export async function storedBreak({ tables, keys }: BreakPorts, number: number) {
  const held = await tables.row('checkpoints', checkpointId(number)).catch(() => undefined)
  const checkpoint = readCheckpoint(held?.row)
  const accepted = checkpoint?.body.break
  if (held === undefined || checkpoint === undefined || accepted === undefined) return undefined
  const isGood = checkpoint.body.number === number && isSigned(checkpoint, keys)
  return isGood ? { checkpoint, body: checkpoint.body, accepted, cursor: held.cursor } : undefined
}

async function breaksFrom(deps: BreakPorts, newest: number): Promise<readonly AcceptedBreak[]> {
  const breaks: AcceptedBreak[] = []
  for (let number = newest; number > 0;) {
    const held = await storedBreak(deps, number)
    if (held === undefined) return breaks
    breaks.push({ ...held.accepted, checkpoint: number, at: held.body.at })
    number = held.accepted.before < number ? held.accepted.before : 0
  }
  return breaks
}
