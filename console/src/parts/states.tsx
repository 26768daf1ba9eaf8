import type { ReactNode } from 'react'
import { problemOf } from '../api/problem.ts'
import { Button } from './button.tsx'
import { Text } from './text.tsx'

export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children}
    </div>
  )
}

/** A list that could not be read: the code, and a way to try again. */
export function Failed({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) {
  const { code, title, detail } = problemOf(error)
  return (
    <div className="empty" role="alert">
      <h2>This could not be read</h2>
      <p className="small">
        The gate answered <code>{code}</code>: <Text>{detail === '' ? title : detail}</Text>
      </p>
      <Button size="small" onClick={onRetry}>
        Try again
      </Button>
    </div>
  )
}

/** Shown only after 300 ms, with the height of real rows. */
export function Skeleton({ rows = 6 }: { readonly rows?: number }) {
  return (
    <div className="late" aria-hidden="true">
      {Array.from({ length: rows }, (_, at) => (
        <div key={at} className="skeleton">
          <i />
          <i />
        </div>
      ))}
    </div>
  )
}

type Query = {
  readonly isError: boolean
  readonly error: unknown
  readonly data: unknown
  readonly refetch: () => Promise<unknown>
}
type ListProps = {
  readonly of: Query
  readonly rows?: number
  /** Shown instead of the list when it was read and has nothing in it; undefined when it has. */
  readonly empty: ReactNode
  readonly children: ReactNode
}

/** A list in each of its states. If it cannot be refreshed, the old list stays and the banner says that it is outdated. */
export function ListStates({ of, rows = 6, empty, children }: ListProps) {
  if (of.data === undefined)
    return of.isError ? <Failed error={of.error} onRetry={() => void of.refetch()} /> : <Skeleton rows={rows} />
  return empty ?? children
}
