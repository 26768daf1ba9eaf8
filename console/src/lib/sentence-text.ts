import type { Sentence } from '../../../server/src/kernel/contract/sentence.ts'

/** The sentence as one line. A copy of the contract's, so that its schemas stay out of the page. */
export const sentenceText = ({ pieces }: Pick<Sentence, 'pieces'>): string => pieces.map(({ text }) => text).join('')
