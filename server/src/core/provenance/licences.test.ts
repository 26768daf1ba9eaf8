import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { licenceOf } from './licences.ts'
import { profileOf } from './profile.ts'
import { DELETE, PAY, SEND } from './sessions.suite.ts'
import { createUserWords } from './user-words.ts'

function userWho(...said: readonly string[]) {
  const user = createUserWords()
  for (const words of said) user.add(words)
  return user
}
const licence = (tool: typeof SEND, ...said: readonly string[]) =>
  licenceOf(profileOf(tool), userWho(...said), false).licence

describe('a licence', () => {
  test('is strong where the user asks for the act and its object, in three languages', () => {
    for (const said of [
      'Please send an email to Bob.',
      'Bitte schicke Bob eine E-Mail.',
      'Por favor envía un email a Bob.',
    ])
      expect(licence(SEND, said)).toBe('strong')
  })
  test('is less where only the act or only the thing is named, and none where neither is', () => {
    expect(licence(SEND, 'My emails were long this week.')).not.toBe('strong')
    expect(licence(PAY, 'What is the weather in Rome?')).toBe('none')
    expect(licence(DELETE, 'What is the weather in Rome?')).toBe('none')
  })
  test('comes from the latest of equal requests', () => {
    const found = licenceOf(profileOf(SEND), userWho('Please send an email.', 'Please send an email.'), false)
    expect(found.utterance).toBe(1)
  })

  // Seen red with the latest sentence taken instead of the best one.
  test('law: what the user says besides never takes a licence away', () => {
    const more = fc.array(fc.constantFrom('Thanks.', 'The weather is fine.', 'What is new?', 'I was in Rome.'), {
      maxLength: 4,
    })
    fc.assert(
      fc.property(more, more, (before, after) => {
        expect(licence(SEND, ...before, 'Please send an email to Bob.', ...after)).toBe('strong')
      }),
    )
  })
})
