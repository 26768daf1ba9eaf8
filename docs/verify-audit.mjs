#!/usr/bin/env node
// Checks what `sluice audit export --format jsonl` or `sluice audit prove` wrote. Needs Node 20 or newer and nothing else.
//   node verify-audit.mjs FILE [--key PUBLIC_KEY]...    exit 0: everything holds; 1: the first thing that does not is named
// Each entry holds the hash of the one before. A checkpoint signs (Ed25519) the last hash of each stream and the Merkle root
// (RFC 6962) of its new hashes. Hashes are SHA-256 over canonical JSON (RFC 8785); they, keys and signatures are in hex.
import { createHash, createPublicKey, verify } from 'node:crypto'
import { createReadStream, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const sha = (bytes) => createHash('sha256').update(bytes).digest('hex')
const shaHex = (hex) => sha(Buffer.from(hex, 'hex'))
const nodeHash = (left, right) => shaHex(`01${left}${right}`)
const keyId = (raw) => (/^[0-9a-f]{64}$/.test(raw) ? shaHex(raw).slice(0, 16) : broken('a key is 64 hex digits'))
const start = (seq = 0, hash = '0'.repeat(64)) => ({ seq, hash, signed: true, size: 0, peaks: [], shown: 0, base: seq })
const lines = (file) => createInterface({ input: createReadStream(file), crlfDelay: Infinity })
const broken = (says) => {
  throw Object.assign(new Error(says), { found: true })
}

function canonical(value) {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  const names = Object.keys(value).sort() // by UTF-16 code units, as the RFC wants it
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join()}}`
}
const entryHash = ({ hash: _, ...content }) => sha(canonical(content))
const signedText = (body) => `sluice.checkpoint.v1\n${canonical(body)}`

function checkSignature({ body, key, signature }, keys) {
  const raw = keys.get(key) ?? broken(`checkpoint ${body.number} is signed with the key ${key}, which is not yours`)
  const der = Buffer.from(`302a300506032b6570032100${raw}`, 'hex')
  const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' })
  const bytes = Buffer.from(/^[0-9a-f]{128}$/.test(signature) ? signature : '', 'hex')
  if (!verify(null, Buffer.from(signedText(body)), publicKey, bytes)) broken(`checkpoint ${body.number} is forged`)
}

function checkProof({ entry, path, checkpoint, public_key }, keys) {
  checkSignature(checkpoint, keys)
  const name = `${entry.stream} ${entry.seq}`
  if (keys.get(checkpoint.key) !== public_key) broken('the public key in the proof is not the one that signed')
  if (entryHash(entry) !== entry.hash) broken(`${name} is edited: its hash was made from something else`)
  const head = checkpoint.body.streams.find(({ stream }) => stream === entry.stream)
  if (!(entry.seq >= head?.from && entry.seq <= head?.to)) broken(`${name} is not covered by the checkpoint`)
  const climb = (hash, next) => (next.side === 'left' ? nodeHash(next.hash, hash) : nodeHash(hash, next.hash))
  if (path.some(({ side, hash }) => !/^(left|right)[0-9a-f]{64}$/.test(side + hash))) broken(`${name} has no path`)
  if (path.reduce(climb, shaHex(`00${entry.hash}`)) !== head.root) broken(`${name} is not under the signed root`)
  return `${name} is in the audit that checkpoint ${checkpoint.body.number} signed`
}

function addLink(at, { seq, hash }) {
  let peak = shaHex(`00${hash}`)
  for (let left = at.size; left % 2 === 1; left = (left - 1) / 2) peak = nodeHash(at.peaks.pop(), peak)
  at.peaks.push(peak)
  Object.assign(at, { seq, hash, signed: false, size: at.size + 1 })
}

function checkEntry(at, entry) {
  const [name, seq] = [entry.stream, at.seq + 1]
  if (entryHash(entry) !== entry.hash) broken(`${name} ${seq} is edited: its hash was made from something else`)
  if (entry.seq !== seq) broken(`${name} ${seq} is missing: ${entry.seq} was found instead`)
  if (entry.prev_hash !== at.hash && at.signed) broken(`${name} ${seq} is edited: it does not follow ${at.seq}`)
  if (entry.prev_hash !== at.hash) broken(`${name} ${at.seq} is edited, or ${seq} is: they do not follow one another`)
  addLink(at, entry)
  at.shown += 1
}

function checkCheckpoint(checkpoint, previous, streams, keys, mayBeBase) {
  const expected = (previous?.number ?? 0) + 1
  const { body } = checkpoint ?? broken(`checkpoint ${expected} cannot be read`)
  checkSignature(checkpoint, keys)
  if (mayBeBase && previous === undefined && streams.size === 0) {
    for (const { stream, to, head } of body.streams) streams.set(stream, start(to, head))
    return body
  }
  if (body.number !== expected) broken(`checkpoint ${expected} is missing: ${body.number} was found instead`)
  const prev = previous === undefined ? start().hash : sha(signedText(previous))
  if (body.prev !== prev) broken(`checkpoint ${expected - 1} is missing: ${expected} follows another one`)
  for (const { stream, from, to, head, root } of body.streams) {
    const at = streams.get(stream) ?? start()
    if (at.seq < to) broken(`${stream} ${at.seq + 1} is missing: checkpoint ${expected} signed up to ${to}`)
    if (at.hash !== head) broken(`${stream} ${to}, or one from ${from} on, is not what checkpoint ${expected} signed`)
    const merkle = at.peaks.length > 0 ? at.peaks.reduceRight((right, left) => nodeHash(left, right)) : shaHex('')
    if (at.size !== to - from + 1 || merkle !== root) broken(`checkpoint ${expected} has another root for ${stream}`)
    Object.assign(at, { signed: true, size: 0, peaks: [] })
  }
  for (const [name, at] of streams) if (at.size > 0) broken(`checkpoint ${expected} leaves out ${name} ${at.seq}`)
  return body
}

async function checkExport(file, keys, trusting) {
  const [streams, count] = [new Map(), { entry: 0, link: 0, checkpoint: 0 }]
  let [header, previous, end] = []
  for await (const text of lines(file)) {
    const { kind, ...line } = JSON.parse(text)
    const { stream, seq } = line.entry ?? line
    if (/^(entry|link)$/.test(kind) && !streams.has(stream)) streams.set(stream, start())
    const at = streams.get(stream)
    if (end !== undefined) broken('something follows the last line')
    else if (kind === 'export') header = header === undefined ? line : broken('the export starts twice')
    else if (kind === 'end') end = line
    else if (kind === 'key' && trusting) keys.set(keyId(line.public_key), line.public_key)
    else if (kind === 'entry') checkEntry(at, line.entry)
    else if (kind === 'checkpoint')
      previous = checkCheckpoint(line.checkpoint, previous, streams, keys, header.since !== null)
    else if (kind === 'key')
      continue // the keys that were given count, not those in the file
    else if (kind !== 'link') broken(`a line is of the unknown kind ${kind}`)
    else if (seq !== at.seq + 1) broken(`${stream} ${at.seq + 1} is missing: ${seq} was found instead`)
    else if (header.since === null || at.shown > 0) broken(`${stream} ${seq} is hidden: only its hash is shown`)
    else addLink(at, line)
    if (kind in count) count[kind] += 1
  }
  if (end === undefined) broken('the file ends early')
  for (const { stream, seq, hash } of end.heads) {
    const at = streams.get(stream) ?? start()
    if (at.seq < seq) broken(`${stream} ${at.seq + 1} is missing: the export went up to ${seq}`)
    if (at.hash !== hash) broken(`${stream} ${seq} is edited: the export ended with another one`)
  }
  if (end.entries !== count.entry || end.checkpoints !== count.checkpoint) broken('lines are missing or were added')
  const hidden = count.link > 0 ? ` (and only the hash of ${count.link} older ones)` : ''
  const parts = [...streams].map(([name, at]) => `\n  ${name}: ${at.base + 1} to ${at.seq}, ${at.size} not signed yet`)
  return `${count.entry} entries${hidden}, ${count.checkpoint} checkpoints${parts.join('')}`
}

async function main([file, ...options]) {
  if (file === undefined) broken('usage: node verify-audit.mjs FILE [--key PUBLIC_KEY]...')
  const keys = new Map(options.filter((word) => word !== '--key').map((raw) => [keyId(raw), raw]))
  const given = keys.size > 0
  const { value: first = '' } = await lines(file)[Symbol.asyncIterator]().next()
  const isExport = first.startsWith('{"kind":"export","v":1,')
  const proof = isExport ? {} : JSON.parse(readFileSync(file, 'utf8'))
  if (!isExport && !given) keys.set(keyId(proof.public_key), proof.public_key)
  console.log(`ok: ${isExport ? await checkExport(file, keys, !given) : checkProof(proof, keys)}`)
  if (!given) console.log('no --key was given: this proves that the file is consistent, not where it comes from')
}

main(process.argv.slice(2)).catch((error) => {
  console.error(`broken: ${error.found ? error.message : `it cannot be read (${error.message})`}`)
  process.exitCode = 1
})
