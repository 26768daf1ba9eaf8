import { setImmediate } from 'node:timers/promises'

/** A page up to this many characters is written at once. */
const SMALL = 262_144

/**
 * A page of a list as JSON. Each item may be a megabyte, so items are written one by one, and other requests
 * run in between.
 */
export async function listResponse(page: {
  readonly items: readonly unknown[]
  readonly [field: string]: unknown
}): Promise<Response> {
  const { items, ...rest } = page
  const parts: string[] = []
  let size = 0
  for (const [at, item] of items.entries()) {
    if (size > SMALL) await setImmediate()
    const part = `${at === 0 ? '' : ','}${JSON.stringify(item)}`
    size += part.length
    parts.push(part)
  }
  const headers = { 'content-type': 'application/json' }
  // The other fields come first, and the list last.
  const others = JSON.stringify(rest).slice(0, -1)
  const whole = [`${others}${others === '{' ? '' : ','}"items":[`, ...parts, ']}']
  if (size <= SMALL) return new Response(whole.join(''), { headers })
  return new Response(piecewise(whole), { headers })
}

function piecewise(parts: readonly string[]): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let at = 0
  return new ReadableStream({
    async pull(stream) {
      await setImmediate()
      const part = parts[at]
      at += 1
      if (part === undefined) stream.close()
      else stream.enqueue(encoder.encode(part))
    },
  })
}
