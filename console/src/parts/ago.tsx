import { ago, exactTimeOnHover } from '../lib/time.ts'
import { useNow } from '../lib/use-now.ts'

export function Ago({ at }: { readonly at: number }) {
  const now = useNow()
  return (
    <time dateTime={new Date(at).toISOString()} {...exactTimeOnHover(at)}>
      {ago(at, now)}
    </time>
  )
}
