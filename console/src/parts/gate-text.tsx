import { Text } from './text.tsx'

/** A sentence of the gate. What it puts in backticks is a name and is shown as one. */
export function GateText({ children }: { readonly children: string }) {
  return (
    <>
      {children.split('`').map((part, at) =>
        at % 2 === 1 ? (
          <code key={at}>
            <Text>{part}</Text>
          </code>
        ) : (
          <Text key={at}>{part}</Text>
        ),
      )}
    </>
  )
}
