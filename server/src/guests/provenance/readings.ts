import type { Result } from '../../kernel/contract/problems.ts'
import { enterSession, type EnterDeps, type Reader, type AnswerText } from '../../kernel/sessions/enter-session.ts'

/** Answers that contain texts of tools, models or other sessions. */
export interface ReadingsGate {
  /** The same answer, once its texts are in the session of the reader. */
  labelled<T>(reader: Reader, answer: Result<T>, texts: (value: T) => readonly AnswerText[]): Promise<Result<T>>
}

export const bindReadings = (deps: EnterDeps): ReadingsGate => ({
  async labelled(reader, answer, texts) {
    if (!answer.ok) return answer
    const entered = await enterSession(deps, reader, texts(answer.value))
    return entered.ok ? answer : entered
  },
})
