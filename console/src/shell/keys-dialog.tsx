import { setSingleKeys, singleKeys } from '../lib/keys.ts'
import { useStore } from '../lib/store.ts'
import { Dialog } from '../parts/dialog.tsx'
import { overlay } from './overlay.ts'
import { PAGES } from './pages.ts'

const KEYS: readonly (readonly [string, string])[] = [
  ['j k', 'next, previous'],
  ['↵', 'open'],
  ['a', 'approve (a strong approval: goes to the field, never decides)'],
  ['e', 'edit'],
  ['d', 'deny: asks for a reason; ↵ denies, esc goes back'],
  ['r', 'remember'],
  ['x', 'choose in a batch'],
  ['s', 'show where a value came from'],
  ['u', 'back to the list'],
  ...PAGES.flatMap(({ keys, name }): [string, string][] => (keys === undefined ? [] : [[keys, name.toLowerCase()]])),
  ['/', 'search'],
  ['⌘K', 'palette: finds and opens, never approves'],
  ['⇧P', 'pause'],
  ['?', 'this list'],
  ['esc', 'close the top dialog'],
]

export function KeysDialog() {
  const isOn = useStore(singleKeys)
  const close = () => overlay.set(undefined)
  return (
    <Dialog title="Keys" onClose={close} cancel="Close" act={null}>
      <dl className="key-list">
        {KEYS.map(([key, does]) => (
          <div key={key}>
            <dt>
              {key.split(' ').map((one) => (
                <kbd key={one} className="kbd">
                  {one}
                </kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <label className="check">
        <input type="checkbox" checked={isOn} onChange={(event) => setSingleKeys(event.target.checked)} /> Single keys
        are on
      </label>
    </Dialog>
  )
}
