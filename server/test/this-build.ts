import { readFileSync } from 'node:fs'
import { ACCESS } from '../../scripts/app-without-gate.ts'
import { commandsOf } from '../src/main/commands.ts'
import { GUEST_OF_KEY } from '../src/main/guest-of-key.ts'
import { GUESTS } from '../src/main/guests.ts'

/** Whether this build has the guest that reads a key of `sluice.yaml`. */
export const hasKey = (key: string): boolean => GUESTS.some(({ name }) => name === GUEST_OF_KEY[key])

const golden = (name: string) => readFileSync(new URL(`goldens/${name}`, import.meta.url), 'utf8')
const commands = new Set(commandsOf(GUESTS).flatMap(({ names }) => names))

/** A command or route of the whole build that this one does not have, because a guest was removed. */
export const isGoneCommand = (word: string): boolean =>
  !commands.has(word) && golden('help.txt').includes(`\n$ sluice ${word} --help\n`)
export const isGoneRoute = (route: string): boolean =>
  !ACCESS.has(route) && golden('access.txt').includes(`\n${route} `)
