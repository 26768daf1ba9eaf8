import { Command } from 'commander'
import { expect, test } from 'vitest'
import { completionsOf } from './completion.ts'

const program = new Command('sluice').option('--json').option('--config <file>')
program.command('approvals').option('--state <state>').option('--watch')
program.command('approve <id>')
program.command('complete', { hidden: true })
program.command('policy').command('show')

test.each([
  [['app'], ['approvals', 'approve']],
  [['comp'], []],
  [
    ['policy', ''],
    ['help', 'show'],
  ],
  [
    ['approvals', '--'],
    ['--config', '--json', '--state', '--watch'],
  ],
  [['approvals', '--state', 'any', '--w'], ['--watch']],
])('%j could become %j', (words, found) => expect(completionsOf(program, words)).toEqual(found))
