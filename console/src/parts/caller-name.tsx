import { agentName } from '../inbox/packet-words.ts'
import { Text } from './text.tsx'

/** A caller, and the user it works for if that is somebody else. */
export function CallerName({ id, user }: { readonly id: string; readonly user: string }) {
  const name = agentName(id)
  return (
    <>
      <Text>{name}</Text>
      {name === user ? null : (
        <>
          {' '}
          for <Text>{user}</Text>
        </>
      )}
    </>
  )
}
