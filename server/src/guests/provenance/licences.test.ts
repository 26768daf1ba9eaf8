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
  test('is strong if the user asks for the action and its object, in three languages', () => {
    for (const said of [
      'Please send an email to Bob.',
      'Bitte schicke Bob eine E-Mail.',
      'Por favor envía un email a Bob.',
    ])
      expect(licence(SEND, said)).toBe('strong')
  })
  test('is weaker if only the action or only the thing is named, and none if neither is', () => {
    expect(licence(SEND, 'My emails were long this week.')).not.toBe('strong')
    expect(licence(PAY, 'What is the weather in Rome?')).toBe('none')
    expect(licence(DELETE, 'What is the weather in Rome?')).toBe('none')
  })
  test('comes from the latest of equal requests', () => {
    const found = licenceOf(profileOf(SEND), userWho('Please send an email.', 'Please send an email.'), false)
    expect(found.utterance).toBe(1)
  })

  // Fails if the latest sentence is used instead of the best one.
  test('law: anything else the user says never removes a licence', () => {
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
