import type { Reader, AnswerText } from '../../kernel/sessions/enter-session.ts'
import { PROGRAM_KINDS } from '../../kernel/contract/caller.ts'
import type { Door } from './door.ts'

/** A piece of this length is sent even if its sentence has not ended. */
const LONGEST_PIECE = 1_000
const SENTENCE_END = /[.!?。！？\n]/

export type LabelledStream = {
  /** Sends an event after its texts have been recorded in the session of the reader. */
  whole(texts: readonly AnswerText[], send: () => void): void
  /** Sends a piece of the text `key`, which is still being written. */
  piece(key: string, text: string, textsIn: (text: string) => readonly AnswerText[], send: () => void): void
  /** Runs after everything before it was sent. */
  end(then: () => void): void
}

type Waiting = {
  text: string
  readonly textsIn: (text: string) => readonly AnswerText[]
  readonly sends: (() => void)[]
}

/**
 * A stream that records each text in the session of the reader before it sends it. A text that is still being written is sent to
 * programs sentence by sentence, so that no part of a sentence reaches a model before the gate has seen all of it. People see it as it is written, and it
 * is recorded when it is complete. If a text cannot be recorded, the stream ends (`onFault`).
 */
export function labelledStream({ enter }: Pick<Door, 'enter'>, reader: Reader, onFault: () => void): LabelledStream {
  const isProgram = PROGRAM_KINDS.includes(reader.caller.kind)
  const waiting = new Map<string, Waiting>()
  let before = Promise.resolve(true)
  const next = (texts: readonly AnswerText[], send: () => void) => {
    before = before
      .then(async (continues) => {
        if (!continues) return false
        const entered = await enter(reader, texts)
        if (entered.ok) send()
        else onFault()
        return entered.ok
      })
      .catch(() => {
        onFault()
        return false
      })
  }
  const flush = (key: string) => {
    const { text, textsIn, sends } = waiting.get(key) ?? { text: '', textsIn: () => [], sends: [] }
    waiting.delete(key)
    if (sends.length > 0) next(textsIn(text), () => sends.forEach((send) => send()))
  }
  const flushAll = () => {
    for (const key of waiting.keys()) flush(key)
  }
  return {
    whole(texts, send) {
      flushAll()
      next(texts, send)
    },
    piece(key, text, textsIn, send) {
      if (!isProgram) return next([], send)
      const held = waiting.get(key) ?? { text: '', textsIn, sends: [] }
      held.text += text
      held.sends.push(send)
      waiting.set(key, held)
      if (held.text.length > LONGEST_PIECE || SENTENCE_END.test(text)) flush(key)
    },
    end(then) {
      flushAll()
      next([], then)
    },
  }
}
