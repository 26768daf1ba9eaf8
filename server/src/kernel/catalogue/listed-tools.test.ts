import { expect, test } from 'vitest'
import type { Tool } from '../contract/tool.ts'
import { listedTools } from './listed-tools.ts'
import { listedIds } from '../text/nearest-tool.ts'

test('only the first few misspelt ids get a suggestion, because each compares many names', () => {
  const names = Array.from({ length: 50 }, (_, at) => `mail__archive_folder_${at}`)
  const listed = listedTools(names)
  const meant = names.map((name) => listed.meantBy(name.replace('archive', 'archvie')))
  expect(meant.slice(0, 3)).toEqual(names.slice(0, 3))
  expect(meant.slice(3).filter((one) => one !== undefined)).toEqual([])
})

test('a tool that its server no longer lists does not count', () => {
  const row = { tool_id: 'mail__send', server: 'mail' }
  const tools = [{ row }, { row: { ...row, tool_id: 'mail__gone', gone_at: 1 } }] as unknown as readonly Tool[]
  expect(listedIds(tools)).toEqual(['mail__send'])
})
