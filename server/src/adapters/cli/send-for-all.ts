import type { Client } from './client.ts'
import { fieldsOf, itemsOf, type Fields } from './print.ts'

/** All pages of a list as one reply, or the first reply that is not a page. */
export async function sendForAll(send: Client, path: string): ReturnType<Client> {
  const first = await send('GET', path)
  const items = [...itemsOf(first.body)]
  let next = nextOf(first.body)
  if (next === undefined) return first
  while (next !== undefined) {
    const { body } = await send('GET', `${path}?after=${next}`)
    items.push(...itemsOf(body))
    next = nextOf(body)
  }
  return { ...first, body: { ...(first.body as Fields), next: undefined, items } }
}

function nextOf(body: unknown): number | undefined {
  const { next } = fieldsOf(body)
  return typeof next === 'number' ? next : undefined
}
