import { stripVTControlCharacters } from 'node:util'
import { numberedText } from '../../kernel/contract/visible-text.ts'

/** A tool server's own text as one line, without colours and with every invisible character by its number. */
export const harmlessLine = (text: string): string =>
  numberedText(
    stripVTControlCharacters(text)
      .replaceAll(/\s*[\r\n]+\s*/g, ' ')
      .replaceAll('\t', '  '),
  )
