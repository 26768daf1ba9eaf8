import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AGENT, openTestGate, until, type GateRig } from '../../../../test/helpers/with-gate.ts'

/** An embeddings API for which `zzz` means the same as `picture`. */
const asked: string[][] = []
let isUp = true
/** How a hostile or broken one answers, and the requests that it never answers. */
let behaves: 'well' | 'hangs' | 'grows' | 'redirects' = 'well'
const hanging = new Set<object>()
let elsewhere = 0
const other: Server = createServer((_, response) => {
  elsewhere += 1
  response.end('{}')
})
const provider: Server = createServer((request, response) => {
  let body = ''
  request.on('data', (chunk: Buffer) => (body += chunk.toString()))
  request.on('end', () => {
    if (!isUp || request.url !== '/v1/embeddings' || request.headers.authorization !== 'Bearer s3cret')
      return response.writeHead(500).end('{}')
    const { input } = JSON.parse(body) as { input: string[] }
    asked.push(input)
    if (behaves === 'hangs') {
      hanging.add(request)
      return response.once('close', () => hanging.delete(request))
    }
    if (behaves === 'redirects') {
      const { port } = other.address() as AddressInfo
      return response.writeHead(307, { location: `http://127.0.0.1:${port}/v1/embeddings` }).end()
    }
    const data = input.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text) }))
    return response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ object: 'list', model: 'm', data, usage: { prompt_tokens: 1, total_tokens: 1 } }))
  })
})
const vectorOf = (text: string): number[] => [...(behaves === 'grows' ? [9] : []), ...meaningOf(text)]
const meaningOf = (text: string): number[] => [/zzz|picture/.test(text) ? 5 : 0.1, /note/.test(text) ? 3 : 0.1, 1]

const folder = mkdtempSync(join(tmpdir(), 'sluice-embeddings-'))
let config: object
beforeAll(async () => {
  for (const server of [provider, other]) await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = provider.address() as AddressInfo
  process.env['SLUICE_TEST_EMBEDDINGS'] = 's3cret'
  const url = `http://127.0.0.1:${port}/v1`
  config = {
    search: {
      embeddings: {
        provider: 'openai-compatible',
        url,
        model: 'm',
        key: 'env:SLUICE_TEST_EMBEDDINGS',
        timeout_ms: 300_000,
      },
    },
  }
})
afterAll(() => {
  for (const server of [provider, other]) {
    server.close()
    server.closeAllConnections()
  }
  delete process.env['SLUICE_TEST_EMBEDDINGS']
  rmSync(folder, { recursive: true, force: true })
})

async function whileOpen(use: (rig: GateRig) => Promise<void>): Promise<void> {
  const rig = await openTestGate(folder, { config })
  try {
    await use(rig)
  } finally {
    await rig.opened.close()
  }
}
const found = async ({ gate }: GateRig, query: string) => {
  const answer = await gate.catalogue.search(AGENT, query, 3)
  return answer.ok ? answer.value : []
}

describe('with an embedding model', () => {
  test('a tool is found by meaning if no word matches, an exact name stays first, and hidden tools stay hidden', () =>
    whileOpen(async (rig) => {
      // Definitions are embedded in the background; a search waits for them a moment only.
      await until(async () => (await found(rig, 'zzz'))[0]?.reason === 'similar in meaning')
      const [first] = await found(rig, 'zzz')
      expect(first).toMatchObject({ skill_id: 'book__picture', reason: 'similar in meaning' })
      expect((await found(rig, 'book__look'))[0]?.skill_id).toBe('book__look')
      const all = await rig.gate.catalogue.search(AGENT, 'zzz', 50)
      expect(all.ok && all.value.map(({ skill_id }) => skill_id)).not.toContain('book__wipe')
      expect(rig.gate.catalogue.searchNotice()).toBeUndefined()
    }))

  test('a definition is sent once, even after a restart', async () => {
    expect(readdirSync(join(folder, 'data', 'vectors'))).toHaveLength(1)
    asked.length = 0
    await whileOpen(async (rig) => void (await found(rig, 'zzz')))
    expect(asked).toEqual([['zzz']])
  })

  test('that is down, search uses words only, and a notice says so until it is back', async () => {
    isUp = false
    await whileOpen(async (rig) => {
      expect((await found(rig, 'keep a note'))[0]?.skill_id).toBe('book__keep_note')
      expect(await found(rig, 'zzz')).toEqual([])
      expect(rig.gate.catalogue.searchNotice()).toMatch(/words only/)
    })
    isUp = true
  })

  test('that hangs blocks no search: words decide while it still holds the request', async () => {
    behaves = 'hangs'
    await whileOpen(async (rig) => {
      expect((await found(rig, 'keep a note'))[0]?.skill_id).toBe('book__keep_note')
      expect(hanging.size).toBe(1)
      // It is not asked again with the next search.
      expect((await found(rig, 'keep a note'))[0]?.skill_id).toBe('book__keep_note')
      expect(hanging.size).toBe(1)
      expect(rig.gate.catalogue.searchNotice()).toMatch(/words only/)
    })
    behaves = 'well'
  })

  test('that changes the size of its vectors finds nothing by meaning, and words decide', async () => {
    behaves = 'grows'
    await whileOpen(async (rig) => {
      expect(await found(rig, 'zzz')).toEqual([])
      expect((await found(rig, 'keep a note'))[0]?.skill_id).toBe('book__keep_note')
    })
    behaves = 'well'
  })

  test('that redirects gets no text sent elsewhere', async () => {
    behaves = 'redirects'
    await whileOpen(async (rig) => {
      expect((await found(rig, 'keep a note'))[0]?.skill_id).toBe('book__keep_note')
      expect(elsewhere).toBe(0)
    })
    behaves = 'well'
  })
})
