import { describe, expect, test } from 'vitest'
import { createIndex } from './create-index.ts'

const TOOLS = [
  { id: 'mail__send_email', name: 'send_email', server: 'mail', description: 'Send a message to a list of recipients' },
  { id: 'mail__list_folders', name: 'list_folders', server: 'mail', description: 'List the folders of a mailbox' },
  { id: 'films__findMovie', name: 'findMovie', server: 'films', description: 'Look up a movie by its title' },
  { id: 'repo__create_issue', name: 'create_issue', server: 'repo', description: 'Open a new issue in a repository' },
]

const filled = () => {
  const index = createIndex()
  for (const tool of TOOLS) index.add(tool)
  return index
}

describe('search', () => {
  test.each([
    ['write an email to my boss', 'mail__send_email'],
    ['which folders do I have', 'mail__list_folders'],
    ['find the film Casablanca', 'films__findMovie'],
    ['report a bug in the repo', 'repo__create_issue'],
  ])('"%s" finds %s first', (query, id) => {
    expect(filled().search(query, 3)[0]?.id).toBe(id)
  })

  test('a removed tool is not found', () => {
    const index = filled()
    index.remove('films__findMovie')
    expect(index.search('film', 5)).toEqual([])
  })
})
