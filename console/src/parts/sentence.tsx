import { valueAndMark } from '../../../server/src/kernel/contract/marked-value.ts'
import type { Sentence as GateText } from '../../../server/src/kernel/contract/sentence.ts'
import { Text } from './text.tsx'

/** What a call does. A value from outside, and a recipient that can mislead, has a wavy line and says so to a screen reader. */
export function Sentence({ of }: { readonly of: Pick<GateText, 'pieces'> & Partial<GateText> }) {
  const command = of.action === 'run_command' ? of.pieces.find((piece) => piece.is !== 'text') : undefined
  return (
    <>
      {of.pieces.map((piece, at) => {
        if (piece.is === 'text') return piece.text
        if (piece.mark !== undefined)
          return (
            <span key={at} className="misleading" title={piece.mark}>
              <Text>{valueAndMark(piece).value}</Text>
              <span className="sr">
                , <Text>{piece.mark}</Text>
                {piece.is === 'outside' ? ', from an untrusted source' : null}
              </span>
            </span>
          )
        if (piece.is === 'value' && piece === command)
          return (
            <code key={at}>
              <Text>{piece.text}</Text>
            </code>
          )
        if (piece.is === 'value') return <Text key={at}>{piece.text}</Text>
        return (
          <span key={at} className="from-outside">
            <Text>{piece.text}</Text>
            <span className="sr">, from an untrusted source</span>
          </span>
        )
      })}
    </>
  )
}
