import type { Json } from '../../contract/json.ts'
import type { Problem } from '../../contract/problems.ts'
import type { OwnCredentials } from '../../core/gate/own-credentials/find-own.ts'
import { strikeOwn, strikeOwnJson } from '../../core/gate/own-credentials/strike-own.ts'
import type { Live, Offerings, ToolServers } from '../ports/upstream.ts'

/**
 * The same tool servers, but nothing they say carries one of the gate's own credentials: results, errors, progress, log lines,
 * and what is stored of these. Whatever the operator wants of other redaction.
 */
export function strikeOwnAnswers(servers: ToolServers, own: () => OwnCredentials): ToolServers {
  return {
    async call(call) {
      const isHeard = call.onProgress !== undefined || call.onLog !== undefined
      const answer = await servers.call(isHeard ? { ...call, ...struckLife(call, own) } : call)
      if (answer.is === 'answered') return { ...answer, result: struckAs(answer.result, own) }
      if (answer.is === 'rejected') return { ...answer, error: strikeOwnJson(answer.error, own()) }
      return 'problem' in answer ? { ...answer, problem: struckProblem(answer.problem, own) } : answer
    },
  }
}

/** The same for resources, prompts and completions. */
export function strikeOwnReplies(offerings: Offerings, own: () => OwnCredentials): Offerings {
  return {
    ...offerings,
    async ask(question) {
      const reply = await offerings.ask({ ...question, ...struckLife(question, own) })
      if (reply.is === 'answered') return { ...reply, result: strikeOwnJson(reply.result, own()) }
      if (reply.is === 'rejected') return { ...reply, error: strikeOwnJson(reply.error, own()) }
      return { ...reply, problem: struckProblem(reply.problem, own) }
    },
  }
}

function struckLife({ onProgress, onLog }: Live, own: () => OwnCredentials): Pick<Live, 'onProgress' | 'onLog'> {
  const told: Live['onProgress'] = ({ message, ...figures }) =>
    onProgress?.(message === undefined ? figures : { ...figures, message: strikeOwn(message, own()) })
  return {
    ...(onProgress === undefined ? {} : { onProgress: told }),
    ...(onLog === undefined ? {} : { onLog: (line) => onLog(strikeOwnJson(line, own())) }),
  }
}

function struckProblem(problem: Problem, own: () => OwnCredentials): Problem {
  return { ...problem, about: struckAs(problem.about, own) }
}

/** For values that are JSON by their type alone. */
const struckAs = <T>(value: T, own: () => OwnCredentials): T => strikeOwnJson(value as Json, own()) as T
