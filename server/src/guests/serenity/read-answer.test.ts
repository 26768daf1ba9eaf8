import { expect, test } from 'vitest'
import type { Json } from '../../kernel/contract/json.ts'
import { readGateAnswer, readRiskAnswer } from './read-answer.ts'

const wordIn = (answer: Json | undefined) => readGateAnswer(answer, 'p').word

test.each<[Json, string]>([
  [{ decision: 'AUTO_RUN' }, 'AUTO_RUN'],
  [{ mode: 'block' }, 'BLOCK'],
  [{ decision: ' ask ' }, 'ASK'],
  [{ decision: 'BLOCK', mode: 'AUTO_RUN' }, 'BLOCK'],
  [{ decision: 'sure' }, 'ASK'],
  [{ decision: 1 }, 'ASK'],
  [{ decision: null, mode: 'AUTO_RUN' }, 'AUTO_RUN'],
  [{}, 'no_answer'],
  ['AUTO_RUN', 'no_answer'],
  [null, 'no_answer'],
  [[{ decision: 'AUTO_RUN' }], 'no_answer'],
])('the answer %j is read as %s', (answer, word) => {
  expect(wordIn(answer)).toBe(word)
})

test('a missing answer is read as none', () => {
  expect(wordIn(undefined)).toBe('no_answer')
})

test('the total score of an answer must be a number from 0 to 100', () => {
  expect(readGateAnswer({ decision: 'ASK', total_score: 88 }, 'p').total_score).toBe(88)
  expect(readGateAnswer({ decision: 'ASK', total_score: '88' }, 'p').total_score).toBeUndefined()
})

test.each<[Json | undefined, number | 'unknown']>([
  [5, 5],
  [{ risk_score: 0 }, 0],
  [{ risk_score: '5' }, 'unknown'],
  [{ risk_score: -1 }, 'unknown'],
  [101, 'unknown'],
  [{}, 'unknown'],
  [undefined, 'unknown'],
])('the risk in %j is %j', (answer, risk) => {
  expect(readRiskAnswer(answer)).toBe(risk)
})
