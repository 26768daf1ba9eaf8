/** Textbook BM25 over one bag of words per document (k1 1.2, b 0.75): the usual baseline. */
export function createBm25(documents: readonly { id: string; words: readonly string[] }[]) {
  const postings = new Map<string, { doc: number; count: number }[]>()
  for (const [doc, { words }] of documents.entries())
    for (const [word, count] of countsOf(words)) {
      const list = postings.get(word)
      if (list === undefined) postings.set(word, [{ doc, count }])
      else list.push({ doc, count })
    }
  const average = documents.reduce((sum, { words }) => sum + words.length, 0) / Math.max(1, documents.length)
  const lengths = documents.map(({ words }) => 0.25 + (0.75 * words.length) / average)

  return (words: readonly string[], count: number): string[] => {
    const scores = new Map<number, number>()
    for (const word of new Set(words)) {
      const list = postings.get(word) ?? []
      const rarity = Math.log(1 + (documents.length - list.length + 0.5) / (list.length + 0.5))
      for (const { doc, count } of list) {
        const gain = (rarity * count * 2.2) / (count + 1.2 * (lengths[doc] ?? 1))
        scores.set(doc, (scores.get(doc) ?? 0) + gain)
      }
    }
    return [...scores]
      .sort((a, b) => b[1] - a[1])
      .slice(0, count)
      .map(([doc]) => documents[doc]?.id ?? '')
  }
}

function countsOf(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}
