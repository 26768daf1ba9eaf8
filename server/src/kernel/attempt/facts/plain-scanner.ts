import { visibleText } from '../../contract/visible-text.ts'
import { validateAgainst } from '../../json/validate-args.ts'
import type { Scanner } from '../../ports/scanner.ts'

/** For a gate without the guest that searches texts: nothing is found, and nothing is hidden. */
export const plainScanner: Scanner = {
  shownArgs: (canonical_args) => ({ args: canonical_args, hidden: [] }),
  hiddenInPreview: () => [],
  redact: (value) => value,
  redactOwn: (value) => value,
  visible: visibleText,
  validate: validateAgainst,
}
