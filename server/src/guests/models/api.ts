/** A message of a conversation as models see it. */
export type ModelTurn = { readonly role: 'user' | 'assistant'; readonly text: string }

const MOST_RESULT = 10_500

/** What a tool answered is data: framed as JSON, so that no text can close its frame. */
export const toolTurn = (tool: string, text: string): ModelTurn => ({
  role: 'user',
  text: `TOOL RESULT of ${JSON.stringify(tool)}: ${JSON.stringify(text.slice(0, MOST_RESULT))}`,
})

/** Some servers reject two messages of one role in a row. */
export function mergedTurns(turns: readonly ModelTurn[]): readonly ModelTurn[] {
  const joined: ModelTurn[] = []
  for (const turn of turns) {
    const last = joined.at(-1)
    if (last?.role === turn.role) joined[joined.length - 1] = { role: turn.role, text: `${last.text}\n\n${turn.text}` }
    else joined.push(turn)
  }
  // The conversation must start with the user.
  return joined[0]?.role === 'assistant' ? [{ role: 'user', text: '(the conversation continues)' }, ...joined] : joined
}
