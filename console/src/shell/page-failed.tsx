import { connection } from '../api/stream.ts'
import { NotLoaded } from '../lib/outdated.ts'
import { useStore } from '../lib/store.ts'
import { Button } from '../parts/button.tsx'

/** Shown instead of a page that could not be loaded or rendered. */
export function PageFailed({ error }: { readonly error: unknown }) {
  const isLost = useStore(connection).state === 'lost'
  return (
    <div className="empty" role="alert">
      <h1>{error instanceof NotLoaded ? 'This page could not be loaded' : 'This page failed'}</h1>
      <p className="small">
        {isLost
          ? 'Sluice is not responding. Reload when it is back.'
          : 'The console may have been updated since you opened it. Reload to get the page again.'}{' '}
        Nothing was decided.
      </p>
      <Button size="small" off={isLost} onClick={() => location.reload()}>
        Reload
      </Button>
    </div>
  )
}
