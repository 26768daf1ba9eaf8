import { useNow } from '../lib/use-now.ts'
import { connection } from '../api/stream.ts'
import { clockTime, shortTime } from '../lib/time.ts'
import { outdated } from '../lib/outdated.ts'
import { useMay } from '../lib/may.ts'
import { useStore } from '../lib/store.ts'
import { Button } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { Text } from '../parts/text.tsx'
import { overlay } from './overlay.ts'
import { usePauses } from './use-gate.ts'

const PATIENCE_MS = 1_500

/** Neither can be closed; each disappears with its reason. */
export function Banners() {
  return (
    <div className="banners">
      <LostBanner />
      <OutdatedBanner />
      <PausedBanner />
      <PartlyPausedBanner />
    </div>
  )
}

function LostBanner() {
  const { state, heard_at } = useStore(connection)
  const now = useNow()
  if (state !== 'lost' || now - heard_at < PATIENCE_MS) return null
  return (
    <div className="banner lost" role="alert">
      <Icon name="warn" />
      <span>
        <b>Sluice is not responding.</b> This page shows the state of {clockTime(heard_at)}. You cannot decide until it
        is back.
      </span>
    </div>
  )
}

function OutdatedBanner() {
  if (!useStore(outdated)) return null
  return (
    <div className="banner lost" role="status">
      <Icon name="warn" />
      <span>
        <b>The console was updated.</b> Parts of this page may not load until you reload it.
      </span>
      <Button size="small" onClick={() => location.reload()}>
        Reload
      </Button>
    </div>
  )
}

function PausedBanner() {
  const mayResume = useMay('administer')
  const all = usePauses().find(({ scope }) => scope === 'all')
  if (all === undefined) return null
  return (
    <div className="banner paused" role="status">
      <Icon name="pause" />
      <span>
        <b>Everything is paused</b> by <Text>{all.by}</Text> since {shortTime(all.at)}.
        {all.effect === 'ask' ? ' New calls are held for approval.' : ' New calls are blocked.'}
        {all.reason === '' ? null : (
          <>
            {' '}
            “<Text>{all.reason}</Text>”
          </>
        )}
      </span>
      {mayResume ? (
        <Button kind="on-danger" size="small" onClick={() => overlay.set('resume')}>
          Resume …
        </Button>
      ) : null}
    </div>
  )
}

/** Something is paused, but not everything: said on every page too, in its own words. */
function PartlyPausedBanner() {
  const mayResume = useMay('administer')
  const pauses = usePauses()
  const [first] = pauses
  if (first === undefined || pauses.some(({ scope }) => scope === 'all')) return null
  return (
    <div className="banner lost" role="status">
      <Icon name="pause" />
      <span>
        <b>
          Paused: <Text>{first.scope}</Text>
          {pauses.length === 1 ? '' : ` and ${pauses.length - 1} more`}
        </b>
        , by <Text>{first.by}</Text> since {shortTime(first.at)}.
        {first.reason === '' ? null : (
          <>
            {' '}
            “<Text>{first.reason}</Text>”
          </>
        )}
      </span>
      {mayResume ? (
        <Button size="small" onClick={() => overlay.set('resume')}>
          Resume …
        </Button>
      ) : null}
    </div>
  )
}
