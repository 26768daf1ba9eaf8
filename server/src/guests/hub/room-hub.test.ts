import { expect, test } from 'vitest'
import { NodeMessage } from './hub.ts'
import { roomHub } from './room-hub.ts'

test('a node that follows its hub says at once that it is running', async () => {
  const { promise: sent, resolve } = Promise.withResolvers<readonly [string, string]>()
  const room = {
    async send(field: string, text: string) {
      resolve([field, text])
    },
    follow: () => async () => {},
  }
  const link = roomHub({ room, hub: '@hub:example.com', clock: () => 0 })
  const following = link.follow({ pending: async () => [], take: async () => false })
  const [field, text] = await sent
  expect(field).toBe('io.sluice.node')
  expect(NodeMessage.parse(JSON.parse(text))).toEqual({ is: 'alive' })
  await following.stop()
})
