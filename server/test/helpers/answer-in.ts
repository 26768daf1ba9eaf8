type Message = Record<string, unknown>

/**
 * The answer in the body of an MCP response: JSON, or, if the request took long, a stream of events whose last message is the answer.
 * On a busy machine every request can take long.
 */
export function answerIn(text: string): Message {
  if (!/^(?:event|data|id|retry)?:/.test(text)) return JSON.parse(text) as Message
  const messages = text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)) as Message)
  const answer = messages.findLast((message) => 'result' in message || 'error' in message)
  if (answer === undefined) throw new Error(`a stream without an answer: ${text}`)
  return answer
}
