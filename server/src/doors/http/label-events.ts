import type { Gate } from '../../commands/gate.ts'
import type { Reader, AnswerText } from '../../commands/provenance/enter-session.ts'
import { PROGRAM_KINDS } from '../../contract/caller.ts'
import { ok } from '../../contract/problems.ts'

/** Longer than any sentence that is worth waiting for. */
const LONGEST_PIECE = 1_000
const SENTENCE_END = /[.!?。！？\n]/

export type LabelledStream = {
  /** Tells something once what is told in it has entered the session of the reader. */
  whole(told: readonly AnswerText[], tell: () => void): void
  /** A piece of a text that is being written, `key`. */
  piece(key: string, text: string, told: (text: string) => readonly AnswerText[], tell: () => void): void
  /** After everything else. */
  end(then: () => void): void
}

type Waiting = { text: string; readonly told: (text: string) => readonly AnswerText[]; readonly tells: (() => void)[] }

/**
 * A stream of which each text enters the session of the reader before it is told. A text that is being written is told to programs
 * sentence by sentence: half a request must not reach a model before the gate knows the whole. People see it as it is written, and it enters
 * their session when it is complete. A stream whose texts cannot be recorded ends (`onFault`).
 */
export function labelledStream(gate: Gate, reader: Reader, onFault: () => void): LabelledStream {
  const isProgram = PROGRAM_KINDS.includes(reader.caller.kind)
  const waiting = new Map<string, Waiting>()
  let before = Promise.resolve(true)
  const next = (told: readonly AnswerText[], tell: () => void) => {
    before = before
      .then(async (goesOn) => {
        if (!goesOn) return false
        const entered = await gate.readings.labelled(reader, ok(told), (texts) => texts)
        if (entered.ok) tell()
        else onFault()
        return entered.ok
      })
      .catch(() => {
        onFault()
        return false
      })
  }
  const flush = (key: string) => {
    const { text, told, tells } = waiting.get(key) ?? { text: '', told: () => [], tells: [] }
    waiting.delete(key)
    if (tells.length > 0) next(told(text), () => tells.forEach((tell) => tell()))
  }
  const flushAll = () => {
    for (const key of waiting.keys()) flush(key)
  }
  return {
    whole(told, tell) {
      flushAll()
      next(told, tell)
    },
    piece(key, text, told, tell) {
      if (!isProgram) return next([], tell)
      const held = waiting.get(key) ?? { text: '', told, tells: [] }
      held.text += text
      held.tells.push(tell)
      waiting.set(key, held)
      if (held.text.length > LONGEST_PIECE || SENTENCE_END.test(text)) flush(key)
    },
    end(then) {
      flushAll()
      next([], then)
    },
  }
}
