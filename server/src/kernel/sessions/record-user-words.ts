import type { Caller } from '../contract/caller.ts'
import { ok, type Result } from '../contract/problems.ts'
import { refuseUnrecorded } from '../changes/unrecorded.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { Clock } from '../ports/runtime.ts'
import { MOST_WORDS_TEXT } from '../contract/call-body.ts'
import { trustOf, wordsLabel } from './labels.ts'
import type { Sessions } from '../ports/sessions.ts'

export type RecordUserWordsPorts = { readonly ledger: Ledger; readonly sessions: Sessions; readonly clock: Clock }

/**
 * The user's words enter the session before the call that came with them is judged. Hosts send the same words with every call that they
 * cause: they are stored once. `id` is that of the call, or of the message.
 */
export async function recordUserWords(
  deps: RecordUserWordsPorts,
  said: { readonly caller: Caller; readonly thread: string; readonly text: string; readonly id: string },
): Promise<Result<void>> {
  const { caller, thread, id } = said
  const text = said.text.slice(0, MOST_WORDS_TEXT)
  if (await isRecorded(deps, said, text)) return ok(undefined)
  const changes = wordsLabel(id, caller, thread, { text, trust: trustOf(caller) }, deps.clock())
  if (changes.length === 0) return ok(undefined)
  const kept = await deps.ledger.commit(changes)
  return kept === 'committed' ? ok(undefined) : refuseUnrecorded(kept)
}

/** If the session cannot be read, it is unknown whether it contains the words, so they are recorded again. */
async function isRecorded(
  { sessions }: RecordUserWordsPorts,
  { caller, thread }: { readonly caller: Caller; readonly thread: string },
  text: string,
): Promise<boolean> {
  try {
    return (await sessions.read(caller, thread)).isLatest(text)
  } catch {
    return false
  }
}
