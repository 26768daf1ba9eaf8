import { WordsAnswer } from '../../contract/hub.ts'

/** In the content of messages in a control room: what a node says, and what the hub says. */
export const FROM_NODE = 'io.sluice.node'
export const FROM_HUB = 'io.sluice.hub'

const MOST_WORDS = 100

/** The words in a text of the hub; none in one that cannot be read. */
export function readWords(text: string): readonly string[] {
  try {
    const read = WordsAnswer.safeParse(JSON.parse(text))
    return read.success ? read.data.words.slice(0, MOST_WORDS) : []
  } catch {
    return []
  }
}
