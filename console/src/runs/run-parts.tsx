import { Link } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { loaded } from '../lib/outdated.ts'
import { Note } from '../parts/note.tsx'
import { Skeleton } from '../parts/states.tsx'
import type { Walked } from './run-graph.ts'

const RunCanvas = lazy(async () => ({ default: (await loaded(import('./run-canvas.tsx'))).RunCanvas }))

/** The graph of a run. The library that draws it is loaded when the first graph is shown. */
export function RunGraph({ graph, close = false }: { readonly graph: Walked; readonly close?: boolean }) {
  return (
    <Suspense fallback={<Skeleton rows={2} />}>
      <RunCanvas graph={graph} close={close} />
    </Suspense>
  )
}

type WaitsProps = { readonly waitsFor: string | undefined; readonly mayOpen?: boolean }

/** The approval that a run waits for, if it waits for one, with a link for those who may open it. */
export function WaitsForPerson({ waitsFor, mayOpen = true }: WaitsProps) {
  const approval = /\bauth_\w+/.exec(waitsFor ?? '')?.[0]
  if (approval === undefined) return null
  return (
    <Note kind="ask" icon="clock">
      <p>
        <b>It is waiting for approval.</b>
      </p>
      {mayOpen ? (
        <div className="acts">
          <Link to="/approvals/$id" params={{ id: approval }} className="btn small">
            Read and decide
          </Link>
        </div>
      ) : null}
    </Note>
  )
}
