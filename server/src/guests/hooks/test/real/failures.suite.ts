import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { runGate } from '../../../../../test/helpers/with-running-gate.ts'
import { runClient, type Place, type RealClient } from './clients.suite.ts'
import type { ScriptedModel } from './scripted-model.suite.ts'

export type Gate = Awaited<ReturnType<typeof runGate>>
export type Check = (what: string, isRight: boolean, note?: string) => void

/** Where each client keeps what `init --write` installed. */
const INSTALLED = {
  codex: '.codex/hooks.json',
  gemini: '.gemini/settings.json',
  qwen: '.qwen/settings.json',
  opencode: '.config/opencode/plugin/sluice.js',
} as const

export type Scene = {
  readonly client: RealClient
  readonly place: Place
  readonly model: ScriptedModel
  readonly folder: string
  readonly check: Check
}

/** Each way in which a hook can fail: the command must not run. Returns a gate that runs again. */
export async function failures(scene: Scene, first: Gate, admin: string): Promise<Gate> {
  const { client, place, model, folder, check } = scene
  const mark = join(place.work, 'must-not-run.txt')
  const play = () => {
    rmSync(mark, { force: true })
    model.play([client.shell(`touch ${mark}`), { say: 'finished' }])
  }
  const attempt = async (how: string, reason?: RegExp) => {
    play()
    await runClient(client, place, 'make a file')
    const isReported = reason === undefined || model.requests.some((request) => reason.test(request))
    check(`not run when ${how}`, !existsSync(mark) && isReported, isReported ? '' : 'the model was not told why')
  }
  await killedGate(scene, first, admin, play, mark)
  await attempt('there is no gate', /the gate is not running/)
  await badAnswers(folder, attempt)
  const installed = join(place.home, INSTALLED[client.client])
  const good = readFileSync(installed, 'utf8')
  await (client.client === 'opencode'
    ? brokenPlugin(installed, good, attempt)
    : brokenHooks(scene, installed, good, attempt))
  writeFileSync(installed, good)
  const gate = await runGate(folder, ['up', '--trust'])
  // Nobody waits for a person here, so the time limit for an answer is a quarter of a minute.
  writeFileSync(installed, good.replaceAll('--wait 570', '--wait 0').replace('WAIT_MS = 570000', 'WAIT_MS = 0'))
  gate.process.kill('SIGSTOP')
  await attempt('the gate hangs', /did not answer/)
  gate.process.kill('SIGCONT')
  writeFileSync(installed, good)
  return gate
}

/** The real gate is killed while the hook waits for a person's decision. */
async function killedGate(
  { client, place, model, check }: Scene,
  gate: Gate,
  admin: string,
  play: () => void,
  mark: string,
): Promise<void> {
  play()
  const running = runClient(client, place, 'make a file')
  const held = async () =>
    ((await gate.http('GET', '/v1/calls?state=pending', admin)).body['items'] as unknown[]).length
  for (let tries = 0; tries < 600 && (await held()) === 0; tries += 1)
    await new Promise((later) => setTimeout(later, 100))
  check('a call waits in the gate that will be killed', (await held()) === 1)
  const ended = new Promise((done) => gate.process.once('exit', done))
  gate.process.kill('SIGKILL')
  await ended
  await running
  const isReported = model.requests.some((request) =>
    /the gate stopped before it answered|socket hang up|closed/.test(request),
  )
  check('not run when a real gate is killed under the hook, and the model reads why', !existsSync(mark) && isReported)
}

async function badAnswers(folder: string, attempt: (how: string) => Promise<void>): Promise<void> {
  const socket = join(folder, '.sluice/gate.sock')
  const answers = {
    'the gate answers garbage': 'HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\ngarbage',
    'the gate answers half an allowance': 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"decision":"allow"}',
    'the gate closes the connection': undefined,
  }
  for (const [how, answer] of Object.entries(answers)) {
    rmSync(socket, { force: true })
    const server = createServer((wire) => {
      wire.on('error', () => undefined)
      wire.once('data', () => (answer === undefined ? wire.destroy() : wire.end(answer)))
    })
    await new Promise<void>((listening) => server.listen(socket, listening))
    await attempt(how)
    await new Promise<void>((closed) => server.close(() => closed()))
  }
  rmSync(socket, { force: true })
}

/** The program that the hook line starts is replaced by one that fails in a certain way. */
async function brokenHooks(
  { client, place, check }: Scene,
  file: string,
  good: string,
  attempt: (how: string) => Promise<void>,
): Promise<void> {
  const program = join(place.home, 'broken-hook')
  const original = / sluice (\d+) (\S+) (\S+sluice-hook\.cjs)/.exec(good)
  if (original === null) return check(`the hook line of ${client.client} can be found`, false)
  const broken: Readonly<Record<string, string | undefined>> = {
    'the hook is missing': undefined,
    'the hook crashes': '#!/bin/sh\nexit 1\n',
    'the hook is killed': '#!/bin/sh\nkill -9 $$\n',
    'the hook prints garbage': '#!/bin/sh\necho hello\n',
    'the hook prints a line before its answer': '#!/bin/sh\necho starting; echo "{}"\n',
    'the hook prints nothing': '#!/bin/sh\nexit 0\n',
    'the hook hangs': '#!/bin/sh\nsleep 1000\n',
  }
  for (const [how, text] of Object.entries(broken)) {
    rmSync(program, { force: true })
    if (text !== undefined) {
      writeFileSync(program, text)
      chmodSync(program, 0o755)
    }
    // The time limit of a hook is shortened, so that the one that hangs times out soon.
    writeFileSync(file, good.replaceAll(original[0], ` sluice 5 ${program} x`))
    await attempt(how)
  }
}

/** A plugin runs inside opencode: it can be missing, not load, or fail later. */
async function brokenPlugin(file: string, good: string, attempt: (how: string) => Promise<void>): Promise<void> {
  const broken: Readonly<Record<string, string | undefined>> = {
    'the plugin is missing': undefined,
    'the plugin is garbage': 'hello, I am no program',
    'the plugin throws while it loads': `throw new Error('broken')\n${good.replace(/^import/gm, '//')}`,
    'the plugin throws while it starts': good.replace(
      '=> {\n  const used',
      "=> {\n  throw new Error('broken')\n  const used",
    ),
    'the plugin is killed while it asks': good.replace(
      "said = await ask('/v1",
      "process.kill(process.pid, 'SIGKILL'); said = await ask('/v1",
    ),
  }
  for (const [how, text] of Object.entries(broken)) {
    if (text === good) throw new Error(`the plugin of this release has no place for: ${how}`)
    if (text === undefined) rmSync(file)
    else writeFileSync(file, text)
    await attempt(how)
  }
}
