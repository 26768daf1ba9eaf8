import { expect, test } from 'vitest'
import { serverLog } from './server-log.ts'

function open() {
  const lines: string[] = []
  return { lines, log: serverLog('mail', ({ says }) => void lines.push(says)) }
}

test('a server that fails each time it is tried is logged once, whatever it prints', () => {
  const { lines, log } = open()
  for (let attempt = 0; attempt < 100; attempt += 1) {
    log.say('info', `stderr: ${attempt}`)
    log.say('warn', 'did not start: exit code 1')
    log.down()
  }
  expect(lines).toEqual(['stderr: 0', 'did not start: exit code 1'])
})

test('another reason is news, but not without end', () => {
  const { lines, log } = open()
  log.down()
  for (let attempt = 0; attempt < 1_000; attempt += 1) log.say('warn', `did not start: ${attempt}`)
  expect(lines.slice(0, 2)).toEqual(['did not start: 0', 'did not start: 1'])
  expect(lines).toHaveLength(20)
})

test('each change of its state is logged, and everything that a server prints while it works', () => {
  const { lines, log } = open()
  for (let round = 0; round < 2; round += 1) {
    log.say('warn', 'did not start')
    log.down()
    log.say('warn', 'did not start')
    log.up()
    log.say('info', 'is ready')
    log.say('info', 'stderr: request')
    log.say('info', 'stderr: request')
    log.say('warn', 'ended: exit code 1')
    log.down()
  }
  const once = ['did not start', 'is ready', 'stderr: request', 'stderr: request', 'ended: exit code 1']
  expect(lines).toEqual([...once, ...once])
})

test('a person who asks for another attempt sees in the log how it went', () => {
  const { lines, log } = open()
  log.say('warn', 'did not start')
  log.down()
  log.again()
  log.say('info', 'stderr: why')
  log.say('warn', 'did not start')
  expect(lines).toEqual(['did not start', 'stderr: why', 'did not start'])
})
