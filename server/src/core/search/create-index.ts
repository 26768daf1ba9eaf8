import { readQuery, type Clause } from './read-query.ts'
import { FIELDS, toolText, type Field, type SearchableTool } from './searchable-tool.ts'
import { splitText } from './split-text.ts'
import { stem } from './stem.ts'
import { STOP_WORDS } from './stop-words.ts'
import { SYNONYMS } from './synonyms.ts'
import { TUNING, type Tuning } from './tuning.ts'
import { addPosting, effectOf, packCell, removePosting, type Postings } from './vocabulary.ts'

export type Hit = {
  readonly id: string
  readonly score: number
  readonly score_hint: number
  readonly reason: { readonly fields: readonly Field[]; readonly terms: readonly string[] }
}

type Doc = { id: string; terms: Uint32Array; name: Uint32Array }

export function createIndex(tuning: Tuning = TUNING) {
  const terms = new Map<string, number>()
  const postings: Postings[] = []
  const docs: (Doc | undefined)[] = []
  const numbers = new Map<string, number>()
  const stems = new Map<string, string>()
  let total = new Float64Array(64)
  let best = new Float64Array(64)
  let now = new Float64Array(64)
  let group = new Float64Array(64)

  function stemOf(word: string): string {
    let found = stems.get(word)
    if (found === undefined) {
      if (stems.size > 50_000) stems.clear()
      found = stem(word)
      stems.set(word, found)
    }
    return found
  }
  function termOf(text: string): number {
    let term = terms.get(text)
    if (term === undefined) {
      term = postings.length
      terms.set(text, term)
      postings.push({ cells: new Uint32Array(2), length: 0 })
    }
    return term
  }

  function add(tool: SearchableTool): void {
    remove(tool.id)
    const text = toolText(tool)
    const weighted = new Map<number, number>()
    const masks = new Map<number, number>()
    const name: number[] = []
    FIELDS.forEach((field, bit) => {
      const { weight, usual, discount } = tuning.fields[field]
      const counts = new Map<number, number>()
      let length = 0
      for (const word of splitText(text[field])) {
        if (STOP_WORDS.has(word.text)) continue
        const term = termOf(stemOf(word.text))
        counts.set(term, (counts.get(term) ?? 0) + 1)
        if (!word.joined) length += 1
        if (field === 'name' && !word.joined && !name.includes(term)) name.push(term)
      }
      const scale = weight / (1 - discount + (discount * length) / usual)
      for (const [term, count] of counts) {
        weighted.set(term, (weighted.get(term) ?? 0) + count * scale)
        masks.set(term, (masks.get(term) ?? 0) | (1 << bit))
      }
    })
    const doc = docs.length
    for (const [term, frequency] of weighted) {
      const list = postings[term]
      if (list !== undefined)
        addPosting(list, doc, packCell(frequency / (frequency + tuning.saturation), masks.get(term) ?? 0))
    }
    docs.push({ id: tool.id, terms: Uint32Array.from(weighted.keys()), name: Uint32Array.from(name) })
    numbers.set(tool.id, doc)
    if (docs.length > total.length) {
      total = new Float64Array(docs.length * 2)
      best = new Float64Array(docs.length * 2)
      now = new Float64Array(docs.length * 2)
      group = new Float64Array(docs.length * 2)
    }
  }

  function remove(id: string): void {
    const number = numbers.get(id)
    if (number === undefined) return
    numbers.delete(id)
    const doc = docs[number]
    if (doc !== undefined) for (const term of doc.terms) removePosting(postings[term] as Postings, number)
    docs[number] = undefined
  }

  const idf = (df: number): number => Math.log(1 + (numbers.size - df + 0.5) / (df + 0.5))

  type Member = { term: number; weight: number }
  function membersOf(clause: Clause): { members: Member[]; weight: number }[] {
    const groups: { members: Member[]; weight: number }[] = []
    for (const [at, item] of clause.entries()) {
      const members: Member[] = []
      const push = (text: string, weight: number): void => {
        const term = terms.get(text)
        const df = term === undefined ? 0 : (postings[term]?.length ?? 0) / 2
        if (term !== undefined && df > 0) members.push({ term, weight: weight * idf(df) })
      }
      push(item.term, 1)
      const own = members[0]?.weight ?? Infinity
      for (const other of SYNONYMS.get(item.term) ?? []) push(other, tuning.synonym)
      for (const member of members) if (member.weight > own) member.weight = own
      const after = clause[at + 1]
      if (after !== undefined && !item.joined && !after.joined) {
        const join = terms.get(stemOf(item.word + after.word))
        if (join !== undefined && (postings[join]?.length ?? 0) > 0)
          groups.push({
            members: [{ term: join, weight: idf((postings[join]?.length ?? 0) / 2) }],
            weight: tuning.compound * item.weight,
          })
      }
      if (members.length > 0) groups.push({ members, weight: item.weight })
    }
    return groups
  }

  function search(query: string, topK: number): Hit[] {
    const clauses = readQuery(query, tuning)
    const touched: number[] = []
    const named = new Map<number, number>()
    for (const clause of clauses) {
      const groups = membersOf(clause)
      const here: number[] = []
      for (const { members, weight } of groups) {
        const touchedGroup: number[] = []
        for (const member of members) {
          named.set(member.term, Math.max(named.get(member.term) ?? 0, member.weight / (members[0]?.weight ?? 1)))
          const { cells, length } = postings[member.term] as Postings
          const factor = member.weight * weight
          for (let at = 0; at < length; at += 2) {
            const doc = cells[at] as number
            const gain = factor * effectOf(cells[at + 1] as number)
            const had = group[doc] as number
            if (had === 0) touchedGroup.push(doc)
            if (gain > had) group[doc] = gain
          }
        }
        for (const doc of touchedGroup) {
          if (now[doc] === 0) here.push(doc)
          now[doc] = (now[doc] as number) + (group[doc] as number)
          group[doc] = 0
        }
      }
      for (const doc of here) {
        const gain = now[doc] as number
        if (total[doc] === 0) touched.push(doc)
        total[doc] = (total[doc] as number) + gain
        if (gain > (best[doc] as number)) best[doc] = gain
        now[doc] = 0
      }
    }
    const scored = touched.map((doc) => {
      const score = tuning.whole * (total[doc] as number) + (1 - tuning.whole) * (best[doc] as number)
      total[doc] = 0
      best[doc] = 0
      return { doc, score }
    })
    scored.sort((a, b) => b.score - a.score)
    const top = scored.slice(0, 100)
    for (const item of top) {
      let said = 0
      let all = 0
      for (const term of docs[item.doc]?.name ?? []) {
        const w = idf((postings[term]?.length ?? 0) / 2)
        all += w
        said += w * (named.get(term) ?? 0)
      }
      if (all > 0) item.score *= 1 + tuning.nameCoverage * (said / all)
    }
    top.sort((a, b) => b.score - a.score || ((docs[a.doc]?.id ?? '') < (docs[b.doc]?.id ?? '') ? -1 : 1))
    return top
      .slice(0, topK)
      .map(({ doc, score }) => ({ id: docs[doc]?.id ?? '', score, score_hint: 0, reason: { fields: [], terms: [] } }))
  }
  return { add, replace: add, remove, search, size: () => numbers.size }
}
