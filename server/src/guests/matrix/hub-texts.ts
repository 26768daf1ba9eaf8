import { WordsAnswer } from '../hub/hub.ts'

/** The content fields of messages in a control room: from a node, and from the hub. */
export const FROM_NODE = 'io.sluice.node'
export const FROM_HUB = 'io.sluice.hub'

const MOST_REPLIES = 100

/** The decisions in a message of the hub; none if it cannot be read. */
export function readReplies(text: string): readonly string[] {
  try {
    const read = WordsAnswer.safeParse(JSON.parse(text))
    return read.success ? read.data.words.slice(0, MOST_REPLIES) : []
  } catch {
    return []
  }
}
