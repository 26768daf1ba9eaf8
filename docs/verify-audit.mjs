#!/usr/bin/env node
// Checks what `sluice audit export --format jsonl` or `sluice audit prove` wrote. Needs Node 20 or newer and nothing else.
//   node verify-audit.mjs FILE --key PUBLIC_KEY [--key PUBLIC_KEY]...    `sluice audit key` prints the keys
// Exit codes:
//   0  every entry is covered by a checkpoint, and the whole file by its last line, signed with the keys that were given
//   1  the first thing that does not hold is named
//   2  nothing is wrong, but not everything is signed with a given key; the number of those entries is printed
// Each entry holds the hash of the one before. A checkpoint signs (Ed25519) the last hash of each stream and the Merkle root
// (RFC 6962) of its new hashes. The last line signs a digest of all lines before it. Hashes are SHA-256 over canonical JSON
// (RFC 8785), and each line is canonical JSON; hashes, keys and signatures are in hex.
import { createHash, createPublicKey, verify } from 'node:crypto'
import { createReadStream } from 'node:fs'

const sha = (...bytes) => bytes.reduce((hash, some) => hash.update(some), createHash('sha256')).digest('hex')
const shaHex = (hex) => sha(Buffer.from(hex, 'hex'))
const nodeHash = (left, right) => shaHex(`01${left}${right}`)
const keyId = (raw) => (/^[0-9a-f]{64}$/.test(raw) ? shaHex(raw).slice(0, 16) : broken('a key is 64 hex digits'))
const start = (seq = 0, hash = '0'.repeat(64)) => ({ seq, hash, signed: true, size: 0, peaks: [], shown: 0, base: seq })
// Names in the file are not allowed to move the cursor or to begin a line of ours.
const shown = (text) => String(text).replace(/\p{C}/gu, '?')
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

// What nothing covers must not stand in the file: a reader would take it for part of what was verified.
function checkFields(value, names, what) {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) broken(`${what} cannot be read`)
  const found = Object.keys(value).sort().join()
  if (found !== names) broken(`${what} consists of ${found || 'nothing'}, and not of ${names}`)
}

function isSignedBy({ key, signature }, text, keys) {
  const der = Buffer.from(`302a300506032b6570032100${keys.get(key)}`, 'hex')
  const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' })
  return /^[0-9a-f]{128}$/.test(signature) && verify(null, Buffer.from(text), publicKey, Buffer.from(signature, 'hex'))
}

function checkSignature(checkpoint, keys) {
  checkFields(checkpoint, 'body,key,signature', 'a checkpoint')
  const { body, key } = checkpoint
  if (!keys.has(key)) broken(`checkpoint ${body.number} is signed with the key ${key}, which is not yours`)
  if (!isSignedBy(checkpoint, signedText(body), keys)) broken(`checkpoint ${body.number} is forged`)
}

function checkProof(proof, keys) {
  checkFields(proof, 'checkpoint,entry,path,public_key,v', 'the proof')
  const { entry, path, checkpoint, public_key } = proof
  checkSignature(checkpoint, keys)
  const name = `${entry.stream} ${entry.seq}`
  if (keys.get(checkpoint.key) !== public_key) broken('the public key in the proof is not the one that signed')
  if (entryHash(entry) !== entry.hash) broken(`${name} is edited: its hash was made from something else`)
  const head = checkpoint.body.streams.find(({ stream }) => stream === entry.stream)
  if (!(entry.seq >= head?.from && entry.seq <= head?.to)) broken(`${name} is not covered by the checkpoint`)
  const climb = (hash, next) => (next.side === 'left' ? nodeHash(next.hash, hash) : nodeHash(hash, next.hash))
  for (const step of path) checkFields(step, 'hash,side', 'a step of the path')
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

const FIELDS = {
  export: 'at,kind,since,v',
  key: 'key,kind,public_key',
  checkpoint: 'checkpoint,kind',
  entry: 'entry,kind',
  link: 'hash,kind,seq,stream',
}
const SIGNED_END = 'checkpoints,digest,entries,heads,key,kind,signature'
const UNSIGNED_END = 'checkpoints,digest,entries,heads,kind,unsigned'

function checkLine(state, line) {
  const { kind, stream, seq } = { ...line, ...line.entry, kind: line.kind }
  const { streams, header, keys } = state
  if (header === undefined && kind !== 'export') broken('the first line is not the start of an export')
  if (/^(entry|link)$/.test(kind) && !streams.has(stream)) streams.set(stream, start())
  const at = streams.get(stream)
  if (kind === 'export') state.header = header === undefined && line.v === 2 ? line : broken('the export starts twice')
  else if (kind === 'checkpoint')
    state.newest = checkCheckpoint(line.checkpoint, state.newest, streams, keys, header.since !== null)
  else if (kind === 'entry') checkEntry(at, line.entry)
  else if (kind === 'key' && keyId(line.public_key) !== line.key) broken(`the key ${line.key} has another id`)
  else if (kind === 'key') {
    if (!state.given) keys.set(line.key, line.public_key) // the keys that were given count, not those in the file
  } else if (seq !== at.seq + 1) broken(`${stream} ${at.seq + 1} is missing: ${seq} was found instead`)
  else if (header.since === null || at.shown > 0) broken(`${stream} ${seq} is hidden: only its hash is shown`)
  else addLink(at, line)
  state.count[kind] += 1
}

function checkEnd({ streams, count, newest, keys }, end, digest) {
  checkFields(end, 'signature' in end ? SIGNED_END : UNSIGNED_END, 'the last line')
  for (const head of end.heads) checkFields(head, 'hash,seq,stream', 'the last line')
  for (const { stream, seq, hash } of end.heads) {
    const at = streams.get(stream) ?? start()
    if (at.seq < seq) broken(`${stream} ${at.seq + 1} is missing: the export went up to ${seq}`)
    if (at.hash !== hash) broken(`${stream} ${seq} is edited: the export ended with another one`)
  }
  if (end.entries !== count.entry || end.checkpoints !== count.checkpoint) broken('lines are missing or were added')
  if (end.digest !== digest) broken('the last line belongs to another export')
  if (!('signature' in end)) return `the last line is not signed (${end.unsigned}), so the end may be missing`
  const { key, signature: _, ...body } = end
  if (!keys.has(key)) broken(`the last line is signed with the key ${key}, which is not yours`)
  if (!isSignedBy(end, `sluice.export.v2\n${canonical(body)}`, keys)) broken('the last line is forged')
  if (end.heads.length !== streams.size) broken('the last line leaves out a stream')
  return newest === undefined && count.entry > 0 ? 'there is no checkpoint' : undefined
}

async function* linesOf(file) {
  let rest = Buffer.alloc(0)
  for await (const chunk of createReadStream(file)) {
    rest = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
      yield rest.subarray(0, end)
      rest = rest.subarray(end + 1)
    }
  }
  if (rest.length > 0) broken('the file ends early')
}

const decoded = (bytes) => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)

function parsed(bytes) {
  const text = decoded(bytes)
  const line = JSON.parse(text)
  // A name that stands twice, for one: its first value would be read and its second one verified.
  if (canonical(line) !== text) broken(`a line is not in its canonical form: ${text.slice(0, 60)}`)
  return line
}

async function checkExport(file, keys) {
  const count = { export: 0, key: 0, checkpoint: 0, entry: 0, link: 0 }
  const state = { streams: new Map(), count, header: undefined, newest: undefined, keys, given: keys.size > 0 }
  let [digest, open] = [start().hash, undefined]
  for await (const bytes of linesOf(file)) {
    if (open !== undefined) broken('something follows the last line')
    const line = parsed(bytes)
    if (line?.kind === 'end' && state.header !== undefined) open = { missing: checkEnd(state, line, digest) }
    else {
      checkFields(line, FIELDS[line?.kind] ?? broken(`a line is of the unknown kind ${line?.kind}`), 'a line')
      checkLine(state, line)
      digest = sha(`${digest}\n`, bytes)
    }
  }
  if (open === undefined) broken('the file ends early')
  const { streams, header } = state
  const hidden = count.link > 0 ? ` (and only the hash of ${count.link} older ones)` : ''
  const isoOf = (ms) => new Date(ms).toISOString()
  const part = header.since === null ? '' : `, with everything since ${isoOf(header.since)}`
  const parts = [...streams].map(([name, { base, seq, size }]) => {
    return `\n  ${shown(name)}: ${base + 1} to ${seq}${size > 0 ? `, ${size} not signed yet` : ''}`
  })
  const unsigned = [...streams.values()].reduce((sum, { size }) => sum + size, 0)
  const covered = `${count.entry} entries${hidden}, ${count.checkpoint} checkpoints`
  const says = `${covered}, exported ${isoOf(header.at)}${part}${parts.join('')}`
  const why = open.missing ?? (unsigned > 0 ? 'no checkpoint follows them' : undefined)
  return { says, entries: count.entry, unsigned, why }
}

async function readProof(file) {
  const chunks = []
  for await (const chunk of createReadStream(file)) chunks.push(chunk)
  const text = decoded(Buffer.concat(chunks))
  const proof = JSON.parse(text)
  const compact = text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1')
  if (compact !== JSON.stringify(proof)) broken('the proof is not as it was printed: a name may stand in it twice')
  return proof
}

async function isExport(file) {
  for await (const chunk of createReadStream(file, { end: 200 })) {
    const text = chunk.toString()
    if (text.startsWith('{"kind":"export","v":1,')) broken('an earlier release wrote this: export it again')
    return text.includes('"kind":"export"')
  }
  return broken('the file is empty')
}

async function main([file, ...options]) {
  if (file === undefined) broken('usage: node verify-audit.mjs FILE --key PUBLIC_KEY [--key PUBLIC_KEY]...')
  const given = options.filter((word) => word !== '--key')
  const keys = new Map(given.map((raw) => [keyId(raw), raw]))
  const proof = (await isExport(file)) ? undefined : await readProof(file)
  if (proof !== undefined && given.length === 0) keys.set(keyId(proof.public_key), proof.public_key)
  const found = proof === undefined ? await checkExport(file, keys) : { says: checkProof(proof, keys), entries: 1 }
  const why = given.length === 0 ? 'no --key was given, so this shows consistency and not origin' : found.why
  if (why === undefined) {
    console.log(`ok: ${found.says}`)
    process.exitCode = 0
    return
  }
  console.log(`consistent: ${found.says}`)
  const unsigned = given.length === 0 ? found.entries : found.unsigned
  console.error(`NOT SIGNED: ${unsigned} of ${found.entries} entries are not covered by a key of yours: ${why}`)
  process.exitCode = 2
}

process.exitCode = 1 // until everything was found to hold
export const finished = main(process.argv.slice(2)).catch((error) => {
  console.error(`broken: ${shown(error.found ? error.message : `it cannot be read (${error.message})`)}`)
})
