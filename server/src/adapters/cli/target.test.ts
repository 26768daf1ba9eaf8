import { describe, expect, test } from 'vitest'
import { chooseTarget, type TargetEnv, type TargetFlags } from './target.ts'

const ENV: TargetEnv = { SLUICE_URL: 'https://far.example', SLUICE_KEY: 'sluice_agent_env' }
const KEY = { SLUICE_KEY: 'sluice_agent_env' }

describe('which gate and as whom', () => {
  const cases: [string, TargetFlags, TargetEnv, object][] = [
    ['no options: the local socket, as its owner', {}, {}, { notes: [] }],
    ['the environment alone', {}, ENV, { url: ENV.SLUICE_URL, key: ENV.SLUICE_KEY, notes: [] }],
    ['an empty variable is not set', {}, { SLUICE_URL: '', SLUICE_KEY: '' }, { notes: [] }],
    ['--key overrides SLUICE_KEY', { key: 'k' }, KEY, { key: 'k', notes: [] }],
    ['--url overrides SLUICE_URL', { url: 'http://a' }, ENV, { url: 'http://a', key: ENV.SLUICE_KEY, notes: [] }],
    [
      '--as overrides SLUICE_KEY, with a note',
      { as: 'agent:claude' },
      KEY,
      { as: 'agent:claude', notes: ['SLUICE_KEY is not used: --as sets the caller'] },
    ],
    [
      'mcp --agent overrides SLUICE_KEY, with a note',
      { agent: 'claude' },
      KEY,
      { as: 'agent:claude', notes: ['SLUICE_KEY is not used: --agent sets the caller'] },
    ],
    [
      '--agent overrides both variables',
      { agent: 'claude' },
      ENV,
      {
        as: 'agent:claude',
        notes: [
          'SLUICE_URL is not used: --agent means the local gate',
          'SLUICE_KEY is not used: --agent sets the caller',
        ],
      },
    ],
    [
      '--config overrides SLUICE_URL',
      { config: 'a.yaml' },
      ENV,
      { key: ENV.SLUICE_KEY, notes: ['SLUICE_URL is not used: --config means the local gate'] },
    ],
    ['--as and --agent that agree', { as: 'agent:a', agent: 'a' }, {}, { as: 'agent:a', notes: [] }],
  ]
  test.each(cases)('%s', (_, flags, env, chosen) => {
    expect(chooseTarget(flags, env)).toEqual(chosen)
  })

  const mistakes: [string, TargetFlags][] = [
    ['--key with --as', { key: 'k', as: 'agent:a' }],
    ['--key with --agent', { key: 'k', agent: 'a' }],
    ['--url with --as', { url: 'http://a', as: 'agent:a' }],
    ['--url with --agent', { url: 'http://a', agent: 'a' }],
    ['--as and --agent that differ', { as: 'admin:a', agent: 'a' }],
    ['a key with a line break', { key: 'k\nx' }],
    ['an empty key', { key: '' }],
    ['a kind that does not exist', { as: 'agnt:a' }],
    ['a name without a kind', { as: 'claude' }],
    ['a name with a line break', { as: 'agent:a\r\nx-other: 1' }],
  ]
  test.each(mistakes)('%s is reported as a mistake', (_, flags) => {
    expect(chooseTarget(flags, ENV)).toHaveProperty('fault')
  })
})
