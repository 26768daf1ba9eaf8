import { describe, expect, test } from 'vitest'
import { inferEffects } from './infer-effects.ts'

const isRead = (name: string, description: string, ...params: string[]) =>
  inferEffects({
    name,
    description,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(
        params.map((param) => {
          const [key = '', type = 'string'] = param.split(':')
          return [key, { type }]
        }),
      ),
    },
  }).effects.includes('read')

/** Reading verbs in the name and in the description. Each pair differs in one point: the first acts, the second reads. */
describe('signs against a read', () => {
  test.each([
    [
      'nothing among the parameters says which one it is',
      ['get_massage', 'Get a massage at a spa nearby.', 'spa_id', 'time'],
      ['get_review', 'Get a review of a spa.', 'review_id'],
    ],
    [
      'the thing is issued to whoever gets it',
      ['get_upload_url', 'Get a signed upload URL.', 'bucket'],
      ['get_invite_link', 'Get the invite link of a group.', 'group_id'],
    ],
    [
      'the next one is taken from a queue',
      ['get_next_job', 'Get the next job.', 'queue'],
      ['get_next_departure', 'Get the next departure.', 'stop'],
    ],
    [
      'an argument carries something in',
      ['read_register', 'Read a register.', 'address', 'value:number'],
      ['read_register', 'Read a register.', 'address'],
    ],
    [
      'an id and a text are taken together',
      ['describe_picture', 'Describe a picture.', 'picture_id', 'caption'],
      ['describe_picture', 'Describe a picture.', 'picture_id'],
    ],
    [
      'the name is the noun of an action',
      ['room_reservation', 'Find a room for tonight.', 'query'],
      ['room_details', 'Find details of a room.', 'query'],
    ],
    [
      'the name begins with an unknown verb',
      ['claim_item', 'Get an item from the list.', 'item_id'],
      ['acme_item', 'Get an item from the list.', 'item_id'],
    ],
    [
      'a second verb follows without an object',
      ['compare_prices', 'Compare and undercut.', 'sku'],
      ['compare_prices', 'Compare and rank.', 'sku'],
    ],
    [
      'the rest of the sentence acts on what was found',
      ['list_members', 'Lists members who owe fees and bars them.', 'club'],
      ['list_members', 'Lists members who owe fees and sorts them.', 'club'],
    ],
    [
      'the next sentence says what happens then',
      ['read_letter', 'Read a letter. It is then marked as seen.', 'letter_id'],
      ['read_letter', 'Read a letter. It is then returned as text.', 'letter_id'],
    ],
    [
      'reading has an effect of its own',
      ['view_card', 'View a card. Viewing flips it.', 'card_id'],
      ['view_card', 'View a card. Viewing requires the right role.', 'card_id'],
    ],
    [
      'the description opens with a verb and a particle',
      ['account_balance', 'Top up the account balance.', 'account'],
      ['account_balance', 'The account balance.', 'account'],
    ],
    [
      'the description opens with a verb that is not one of reading',
      ['inspect_offer', 'Agrees to an offer.', 'offer'],
      ['inspect_offers', 'Offers of a supplier.', 'supplier'],
    ],
    [
      'the description is a gerund that names a thing',
      ['reading_light', 'Reading light for the sofa.', 'room'],
      ['reading_list', 'List the reading list of a user.', 'user'],
    ],
    [
      'what is read goes into something',
      ['read_manual', 'Read a manual into long-term memory.', 'path'],
      ['read_manual', 'Read a manual into a list of pages.', 'path'],
    ],
    ['one thing is offered', ['list_boat', 'List a boat.', 'registration'], ['list_folder', 'List a folder.', 'path']],
  ] as const)('%s', (_, acts, reads) => {
    expect(isRead(...(acts as unknown as [string, string]))).toBe(false)
    expect(isRead(...(reads as unknown as [string, string]))).toBe(true)
  })

  test('a promise to read only outweighs a doubt', () => {
    expect(isRead('get_visa', 'Get a visa.', 'country')).toBe(false)
    expect(isRead('get_visa', 'Get a visa. This tool is read-only.', 'country')).toBe(true)
  })
})
