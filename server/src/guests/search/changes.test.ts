import { describe, expect, test } from 'vitest'
import { changesAsked, changesOf, isUnasked } from './changes.ts'
import { splitText } from './split-text.ts'
import { stem } from './stem.ts'

const asked = (request: string) => changesAsked(splitText(request).map(({ text }) => stem(text)))

describe('the changes that a tool makes', () => {
  test.each(['get_invoice', 'listUsers', 'search', 'open_page', 'order_status', 'message-archive', 'weather', ''])(
    '%s is not known to change anything',
    (name) => {
      expect(changesOf(name)).toBe(0)
    },
  )

  test.each([
    ['delete_event', 'please drop the meeting on Friday', false],
    ['delete_event', 'move the meeting to Friday', true],
    ['createUser', 'add Ana to the team', false],
    ['createUser', 'who is in the team', true],
    ['update-record', 'I changed my mind, adjust it', false],
    ['send_money', 'I sent too little', false],
    ['send_money', 'what did I owe in March', true],
    ['get_event', 'cancel the meeting', false],
  ])('%s is unasked in "%s": %s', (name, request, isSo) => {
    expect(isUnasked(changesOf(name), asked(request))).toBe(isSo)
  })
})
