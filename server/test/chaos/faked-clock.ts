import { existsSync, globSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Debian's libfaketime (`npm run get-faketime`), if it is installed. */
export const FAKETIME: string | undefined = [
  process.env['SLUICE_FAKETIME'] ?? '',
  ...globSync('/usr/lib/*/faketime/libfaketimeMT.so.1'),
].find((file) => file !== '' && existsSync(file))

export type FakedClock = {
  /** The environment of a process that reads this clock. Its monotonic clock stays real, as on a machine whose clock is changed. */
  readonly env: Readonly<Record<string, string>>
  /** Sets the clock ahead of the real one, or behind it. */
  set(seconds: number): void
  remove(): void
}

/** A wall clock that can be set while processes run. */
export function fakedClock(library: string): FakedClock {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-clock-'))
  const file = join(folder, 'offset')
  const set = (seconds: number): void => {
    writeFileSync(`${file}.new`, `${seconds < 0 ? '-' : '+'}${Math.abs(seconds)}s`)
    renameSync(`${file}.new`, file)
  }
  set(0)
  return {
    env: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      FAKETIME_DONT_RESET: '1',
    },
    set,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
