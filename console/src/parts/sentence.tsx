import type { Sentence as GateText } from '../../../server/src/contract/sentence.ts'
import { Text } from './text.tsx'

/** What a call does. A value from outside has a wavy line and says so to a screen reader. */
export function Sentence({ of }: { readonly of: Pick<GateText, 'pieces'> }) {
  return (
    <>
      {of.pieces.map((piece, at) => {
        if (piece.is === 'text') return piece.text
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
