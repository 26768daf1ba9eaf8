import { shownParts } from '../lib/visible.ts'

/** Text from outside: never markup, and every character can be seen. Its direction cannot change the text around it. */
export function Text({ children, lines = false }: { readonly children: string; readonly lines?: boolean | 'marked' }) {
  const parts = shownParts(children, { lines })
  return (
    <bdi>
      {parts.map((part, at) =>
        part.odd ? (
          <span key={at} className="odd">
            {part.text}
          </span>
        ) : (
          part.text
        ),
      )}
    </bdi>
  )
}
