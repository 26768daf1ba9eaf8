/**
 * A workflow document from the first check to the second version: validated, tried without effects, applied, run, held for a
 * person, and finished after the approval. Then a new version, the difference, and a rollback.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { launcher, withGate } from '../with-gate.ts'

const DOCUMENT = join(import.meta.dirname, 'secretary.yaml')
const INPUT = JSON.stringify({ topic: 'Planning', when: 'Friday at ten' })

await withGate(
  async ({ folder, cli, approveNext, sent }) => {
    /** Like `cli`, but does not wait, and for commands that may exit with another code than 0. */
    const cliLater = (...words: readonly string[]) =>
      promisify(execFile)(process.execPath, [launcher, ...words], { cwd: folder }).then(
        ({ stdout }) => ({ status: 0, out: stdout }),
        ({ code, stdout }: { code: number; stdout: string }) => ({ status: code, out: stdout }),
      )
    console.log(cli('workflow', 'validate', 'secretary.yaml').trim())

    const dry = cli('workflow', 'dry-run', 'secretary.yaml', '--input', INPUT)
    assert.match(dry, /1 {2}tool outbox__send_message {2}ask/)
    assert.match(dry, /nothing was executed/)
    assert.equal(sent().length, 0)

    console.log(cli('workflow', 'apply', 'secretary.yaml').trim())
    const approved = approveNext()
    // `run` follows the run until it waits for somebody, and then exits with code 2.
    const started = await cliLater('workflow', 'run', 'secretary', '--input', INPUT)
    const run = /run_\w+/.exec(started.out)?.[0] ?? ''
    assert.ok(run !== '', started.out)
    await approved
    let watched = await cliLater('workflow', 'watch', run)
    for (let tries = 0; watched.status === 2 && tries < 100; tries += 1)
      watched = await cliLater('workflow', 'watch', run)
    console.log(watched.out.trim())
    assert.equal(watched.status, 0, watched.out)
    assert.equal(sent().length, 1)
    assert.match(sent()[0] ?? '', /You are invited: Planning, Friday at ten/)

    // An input that does not match its schema starts nothing.
    const unfit = await cliLater('workflow', 'run', 'secretary', '--input', '{"topic":""}')
    assert.equal(unfit.status, 1)
    assert.equal(sent().length, 1)

    const file = join(folder, 'secretary.yaml')
    writeFileSync(file, readFileSync(file, 'utf8').replace('You are invited:', 'Please come:'))
    console.log(cli('workflow', 'apply', 'secretary.yaml').trim())
    assert.match(cli('workflow', 'diff', 'secretary'), /\+ .*Please come:/)
    console.log(cli('workflow', 'rollback', 'secretary', '--to', '1').trim())
    assert.match(cli('workflow', 'list', 'secretary'), /secretary +3 /)
    console.log('the invitation was sent once, after a person approved it')
  },
  { prepare: (folder) => copyFileSync(DOCUMENT, join(folder, 'secretary.yaml')) },
)
