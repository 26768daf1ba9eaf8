import type { Sentence as GateText, SentencePiece } from '../../../server/src/contract/sentence.ts'
import { Text } from './text.tsx'

/** What a call does. A value from outside, and a recipient that can mislead, has a wavy line and says so to a screen reader. */
export function Sentence({ of }: { readonly of: Pick<GateText, 'pieces'> }) {
  return (
    <>
      {of.pieces.map((piece, at) => {
        if (piece.is === 'text') return piece.text
        if (piece.mark !== undefined)
          return (
            <span key={at} className="misleading" title={piece.mark}>
              <Text>{withoutMark(piece)}</Text>
              <span className="sr">
                , <Text>{piece.mark}</Text>
                {piece.is === 'outside' ? ', from outside' : null}
              </span>
            </span>
          )
        if (piece.is === 'value') return <Text key={at}>{piece.text}</Text>
        return (
          <span key={at} className="from-outside">
            <Text>{piece.text}</Text>
            <span className="sr">, from outside</span>
          </span>
        )
      })}
    </>
  )
}

/** The text of a marked value ends with its mark, which pages show beside it. */
function withoutMark({ text, mark }: Exclude<SentencePiece, { is: 'text' }>): string {
  const end = ` ⟨${mark ?? ''}⟩`
  return text.endsWith(end) ? text.slice(0, -end.length) : text
}
