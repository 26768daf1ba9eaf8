import { isUnrecorded } from '../../kernel/changes/unrecorded.ts'
import type { Clock } from '../../kernel/ports/runtime.ts'
import type { OpenDocument } from './documents.ts'
import { commitWithin, isOver, minuteMeter, type MeterDeps } from './meters.ts'

const DAY_MS = 86_400_000

/** Counts a message of a document against `maxMessagesPerMinute`, once per key, however often it is tried. */
export async function countMessage(
  deps: MeterDeps & { readonly clock: Clock },
  { name, document: { messaging } }: OpenDocument,
  key: string,
): Promise<'counted' | 'over' | 'later'> {
  const now = deps.clock()
  const meters = minuteMeter(`messages ${name}`, messaging.maxMessagesPerMinute, now)
  const taken = await commitWithin(deps, meters, [
    { kind: 'once', key: `workflow.message ${key}`, until: now + DAY_MS },
  ])
  if (isOver(taken)) return 'over'
  return isUnrecorded(taken) ? 'later' : 'counted'
}
