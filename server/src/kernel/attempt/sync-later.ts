import type { CallRow } from '../contract/call.ts'
import type { Tool } from '../contract/tool.ts'
import { isDeclaredRead } from './declared-read.ts'
import type { Change } from '../ports/ledger.ts'
import type { CallListeners } from '../ports/upstream.ts'

/**
 * Whether the intent of a call may become durable together with its outcome: a declared read whose commit contains only the call's row, its
 * audit entry and expectations. A used idempotency key or spent units must not be undone by a power failure, and the id of a task is given
 * to the client before the outcome is known.
 */
export function maySyncLater(
  tool: Tool,
  row: CallRow,
  changes: readonly Change[],
  listeners: CallListeners | undefined,
): boolean {
  if (!isDeclaredRead(tool)) return false
  const isKnownOutside =
    row.executor !== undefined || row.node !== undefined || row.task_of !== undefined || row.by_run !== undefined
  return !isKnownOutside && listeners?.onStarted === undefined && changes.every(isOnlyRecord)
}

const isOnlyRecord = (change: Change): boolean =>
  change.kind === 'expect' || change.kind === 'audit' || (change.kind === 'swap' && change.table === 'calls')
