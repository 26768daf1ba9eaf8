import { InvalidArgumentError } from 'commander'
import { readFileSync } from 'node:fs'
import type { ReadStream } from 'node:tty'

const ENTER = new Set(['\r', '\n'])
const ERASE = new Set(['\u007f', '\b'])
const STOP = new Set(['\u0003', '\u0004'])

/** The first line of a file, `-` for stdin. A secret on the command line itself would be in the shell's history. */
export function secretIn(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8').split(/\r?\n/, 1)[0] ?? ''
  } catch {
    throw new InvalidArgumentError(`\`${file}\` cannot be read`)
  }
}

/** Asks for a line at the terminal without showing it; undefined where there is no terminal, or when the person gives up. */
export function askSecret(prompt: string, input: ReadStream = process.stdin): Promise<string | undefined> {
  if (!input.isTTY) return Promise.resolve(undefined)
  process.stderr.write(prompt)
  input.setRawMode(true)
  input.resume().setEncoding('utf8')
  return new Promise((resolve) => {
    let typed = ''
    const finish = (secret: string | undefined) => {
      input.off('data', onData)
      input.setRawMode(false)
      input.pause()
      process.stderr.write('\n')
      resolve(secret)
    }
    const onData = (chunk: string) => {
      for (const key of chunk) {
        if (ENTER.has(key)) return finish(typed)
        if (STOP.has(key)) return finish(undefined)
        typed = ERASE.has(key) ? typed.replace(/.$/su, '') : typed + key
      }
    }
    input.on('data', onData)
  })
}
