import { answer, serveRaw, write } from './raw-server.ts'

/** Answers of the allowed size whose shape makes careless code slow, and streams of invalid messages. */
const SIZE = 3_900_000
const result = (id: string | number, text: string) =>
  write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${text}}\n`)
const structured = (id: string | number, text: string) => result(id, `{"content":[],"structuredContent":${text}}`)
const withFields = (count: number, name: (at: number) => string) => (id: string | number) =>
  structured(id, `{${Array.from({ length: count }, (_, at) => `"${name(at)}":"v"`).join(',')}}`)
const listOf = (item: string, count: number) => `{"a":[${Array.from({ length: count }, () => item).join(',')}]}`

const ANSWERS: Record<string, (id: string | number) => void> = {
  arrays: (id) => structured(id, listOf('[]', SIZE / 3)),
  numbers: (id) => structured(id, listOf('1', SIZE / 2)),
  many_fields: withFields(100_000, (at) => `k${at}`),
  fields: withFields(12_000, (at) => `k${at}`),
  secret_fields: withFields(12_000, (at) => `ghp_${String(at).padStart(6, '0')}RzT2mKx9Lw4Vb8Nc1Yd6Hf3Js5Gp0A`),
  items: (id) => structured(id, listOf('"x"', 90_000)),
  blocks: (id) =>
    result(id, `{"content":[${`{"type":"text","text":"x"},`.repeat(100_000)}{"type":"text","text":"x"}]}`),
  empty_messages(id) {
    write('{}\n'.repeat(30_000))
    answer(id, 'done')
  },
  broken_messages(id) {
    write('{x\n'.repeat(30_000))
    answer(id, 'done')
  },
  notices(id) {
    write('{"jsonrpc":"2.0","method":"x"}\n'.repeat(5_000))
    answer(id, 'done')
  },
  listings(id) {
    write('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n'.repeat(5_000))
    answer(id, 'done')
  },
}

serveRaw({
  tools: () => Object.keys(ANSWERS).map((name) => ({ name, description: `Gets ${name}.` })),
  onCall: ({ id, name }) => ANSWERS[name]?.(id),
})
