import type { ReactNode } from 'react'
import { Text } from '../parts/text.tsx'

type Named = { readonly id: string; readonly name: string; readonly about: ReactNode; readonly act?: ReactNode }

/** What somebody has named themselves: passkeys, browsers. */
export function NamedList({ items }: { readonly items: readonly Named[] }) {
  if (items.length === 0) return null
  return (
    <ul className="key-rows">
      {items.map(({ id, name, about, act }) => (
        <li key={id}>
          <span className="what">
            <b>
              <Text>{name}</Text>
            </b>
            <span className="tiny faint">{about}</span>
          </span>
          {act}
        </li>
      ))}
    </ul>
  )
}
