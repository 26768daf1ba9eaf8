import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

type Operation = { readonly parameters?: readonly { readonly name: string }[] }
type OpenApi = { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> }

/** What agents can read without a session, each because it contains no text of a tool, a model or another session. */
const WITHOUT_SESSION: Readonly<Record<string, string>> = {
  '/agent/threads': 'the first words of the user',
  '/api/v1/flows': 'procedures that people imported',
  '/api/v1/flows/{flow_id}': 'procedures that people imported',
  '/mcp': 'the session of the client itself',
  '/v1/pauses': 'what an admin paused',
  '/v1/runs': 'kinds, states and times',
  '/v1/runs/{run_id}': 'types, keys and times of events',
  '/v1/tools': 'definitions that an operator admitted',
  '/v1/tools/search': 'definitions that an operator admitted',
  '/v1/tools/{tool_id}': 'definitions that an operator admitted',
}

test('every route by which an agent reads takes the session that it reads in, or has a reason', () => {
  const file = resolve(import.meta.dirname, '../../../docs/openapi.json')
  const { paths } = JSON.parse(readFileSync(file, 'utf8')) as OpenApi
  const access = readFileSync(resolve(import.meta.dirname, '../goldens/access.txt'), 'utf8').split('\n')
  const [head = ''] = access
  const column = head.indexOf('agent')
  const forAgents = access.flatMap((line) => {
    const [method, path = ''] = line.split(/\s+/)
    const isAgents = line.slice(column).startsWith('yes') && !line.slice(head.indexOf('nobody')).startsWith('yes')
    return method === 'GET' && isAgents && paths[path]?.['get'] !== undefined ? [path] : []
  })
  expect(forAgents).toContain('/v1/calls/{call_id}')
  const lacking = forAgents.filter(
    (path) => paths[path]?.['get']?.parameters?.some(({ name }) => name === 'session') !== true,
  )
  expect(lacking.filter((path) => WITHOUT_SESSION[path] === undefined)).toEqual([])
})
