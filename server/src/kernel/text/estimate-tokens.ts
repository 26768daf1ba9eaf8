const PIECE = /[A-Za-z]+|[0-9]+|\s+|[\s\S]/gu

/**
 * About how many tokens a text has. No model's vocabulary is available here: a word counts one per five letters, a number one per
 * three digits, anything else one each. Real tokenizers merge more, so the estimate is on the high side.
 */
export function estimateTokens(text: string): number {
  let tokens = 0
  for (const [piece] of text.matchAll(PIECE)) {
    if (/^[A-Za-z]/.test(piece)) tokens += Math.ceil(piece.length / 5)
    else if (/^[0-9]/.test(piece)) tokens += Math.ceil(piece.length / 3)
    else if (/^\s/.test(piece)) tokens += Math.floor(piece.length / 8)
    else tokens += 1
  }
  return tokens
}
