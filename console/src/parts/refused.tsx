import { problemOf } from '../api/problem.ts'
import { Icon } from './icon.tsx'
import { Text } from './text.tsx'

/** What failed, and why. Empty if there is no error. */
export function Refused({ of, says }: { readonly of: unknown; readonly says: string }) {
  if (of === null || of === undefined) return null
  const { detail, title } = problemOf(of)
  return (
    <p className="hint wrong" role="alert">
      <Icon name="warn" />
      <span>
        {says}: <Text>{detail === '' ? title : detail}</Text>
      </span>
    </p>
  )
}
