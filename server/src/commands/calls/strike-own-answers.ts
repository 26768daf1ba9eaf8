import type { Json, JsonObject } from '../../contract/json.ts'
import type { Problem } from '../../contract/problems.ts'
import type { OwnCredentials } from '../../core/gate/own-credentials/find-own.ts'
import { OWN_MARK, strikeOwn, strikeOwnJson } from '../../core/gate/own-credentials/strike-own.ts'
import type { CallListeners, Offerings, ToolServers } from '../ports/upstream.ts'
import { isSmallValue, SMALL_TEXT, type Scanner } from '../scanning/scanner.ts'

/**
 * Wraps the tool servers so that nothing they send contains one of the gate's own credentials: results, errors, progress, log
 * lines, and what is stored of these. Independent of the operator's redaction settings.
 */
export function strikeOwnAnswers(
  servers: ToolServers,
  own: () => OwnCredentials,
  scanner: Pick<Scanner, 'strike'>,
): ToolServers {
  return {
    generation: (server) => servers.generation(server),
    async call(call) {
      const isHeard = call.onProgress !== undefined || call.onLog !== undefined
      const answer = await servers.call(isHeard ? { ...call, ...struckLife(call, own) } : call)
      if (answer.is === 'answered') return { ...answer, result: await scanner.strike(answer.result, own()) }
      if (answer.is === 'rejected') return { ...answer, error: await scanner.strike(answer.error, own()) }
      return 'problem' in answer ? { ...answer, problem: struckProblem(answer.problem, own) } : answer
    },
  }
}

/** The same for resources, prompts and completions. */
export function strikeOwnReplies(
  offerings: Offerings,
  own: () => OwnCredentials,
  scanner: Pick<Scanner, 'strike'>,
): Offerings {
  return {
    ...offerings,
    async ask(question) {
      const reply = await offerings.ask({ ...question, ...struckLife(question, own) })
      if (reply.is === 'answered') return { ...reply, result: await scanner.strike(reply.result, own()) }
      if (reply.is === 'rejected') return { ...reply, error: await scanner.strike(reply.error, own()) }
      return { ...reply, problem: struckProblem(reply.problem, own) }
    },
  }
}

function struckLife(
  { onProgress, onLog }: CallListeners,
  own: () => OwnCredentials,
): Pick<CallListeners, 'onProgress' | 'onLog'> {
  // They keep their order, so they are searched synchronously; longer ones are not passed on.
  const clean = (text: string) => (text.length > SMALL_TEXT ? OWN_MARK : strikeOwn(text, own()))
  const told: CallListeners['onProgress'] = ({ message, ...figures }) =>
    onProgress?.(message === undefined ? figures : { ...figures, message: clean(message) })
  const cleanLine = (line: JsonObject) => (isSmallValue(line) ? strikeOwnJson(line, own()) : { data: OWN_MARK })
  return {
    ...(onProgress === undefined ? {} : { onProgress: told }),
    ...(onLog === undefined ? {} : { onLog: (line) => onLog(cleanLine(line)) }),
  }
}

function struckProblem(problem: Problem, own: () => OwnCredentials): Problem {
  return { ...problem, about: struckAs(problem.about, own) }
}

/** For values that are JSON only by their type. */
const struckAs = <T>(value: T, own: () => OwnCredentials): T => strikeOwnJson(value as Json, own()) as T
