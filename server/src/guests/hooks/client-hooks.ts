import { existsSync } from 'node:fs'
import type { ClientHooks } from '../../adapters/files/client-hooks.ts'
import { textIn } from '../../adapters/files/whole-file.ts'
import { askingAt, checkHooks } from './check-hooks.ts'
import { isHooked, withHooks, withoutHooks } from './hook-files.ts'
import { hookPlaces, opencodeSettings } from './hook-places.ts'
import { installedHook, installHook, removeHook } from './installed-hook.ts'
import { closedSettings, isClosedText } from './opencode-permission.ts'

export const clientHooks: ClientHooks = {
  places: hookPlaces,
  programOf: installedHook,
  installProgram: installHook,
  removeProgram: removeHook,
  isHooked,
  added(place, program, textNow) {
    if (place.client !== 'opencode') return [{ file: place.file, text: withHooks(place, program, textNow(place.file)) }]
    const settings = opencodeSettings(place.home)
    if (existsSync(settings) && textIn(settings) === undefined) return []
    const { text, own } = closedSettings(textNow(settings), textNow(place.file))
    const plugin = withHooks(place, { ...program, ...(own === undefined ? {} : { own }) })
    return [
      { file: place.file, text: plugin },
      { file: settings, text },
    ]
  },
  removed(text, before) {
    const next = isHooked(text) ? withoutHooks(text) : text
    // What the user permits is in the plugin and in the backup.
    return next !== undefined && isClosedText(next) && !isClosedText(before) ? undefined : next
  },
  check: checkHooks,
  askingAt,
}
