import { createDecipheriv, createECDH, createHmac, createPublicKey, randomBytes, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CHROMIUM, SKIPPED } from './browser.ts'
import { complaints, held, openConsole, settled, stateOf, type Console } from './with-console.ts'

if (CHROMIUM === undefined) console.warn(SKIPPED)
const WHOLE = process.env['SLUICE_CONSOLE'] === 'whole'

type Pushed = { readonly headers: IncomingMessage['headers']; readonly body: Buffer }

/** A push service on this machine that stores what it receives. */
async function startPushService() {
  const got: Pushed[] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      got.push({ headers: request.headers, body: Buffer.concat(parts) })
      response.writeHead(201).end()
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, got, stop: () => new Promise((done) => server.close(done)) }
}

/** What a browser does with a message (RFC 8291, RFC 8188), written from the standards. */
function decrypted(body: Buffer, own: ReturnType<typeof createECDH>, auth: Buffer): string {
  const [salt, idLength] = [body.subarray(0, 16), body[20] ?? 0]
  const sender = body.subarray(21, 21 + idLength)
  const sealed = body.subarray(21 + idLength)
  const hmac = (key: Buffer, ...parts: readonly Buffer[]) =>
    createHmac('sha256', key).update(Buffer.concat(parts)).digest()
  const one = Buffer.from([1])
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), own.getPublicKey(), sender])
  const ikm = hmac(hmac(auth, own.computeSecret(sender)), info, one)
  const prk = hmac(salt, ikm)
  const key = hmac(prk, Buffer.from('Content-Encoding: aes128gcm\0'), one).subarray(0, 16)
  const nonce = hmac(prk, Buffer.from('Content-Encoding: nonce\0'), one).subarray(0, 12)
  const opener = createDecipheriv('aes-128-gcm', key, nonce)
  opener.setAuthTag(sealed.subarray(-16))
  const text = Buffer.concat([opener.update(sealed.subarray(0, -16)), opener.final()])
  return text.subarray(0, text.lastIndexOf(2)).toString('utf8')
}

describe.skipIf(CHROMIUM === undefined || !WHOLE)('settings, and what depends on them', () => {
  let app: Console
  let push: Awaited<ReturnType<typeof startPushService>>
  beforeAll(async () => {
    push = await startPushService()
    process.env['HOOK_SECRET'] = randomBytes(32).toString('hex')
    app = await openConsole((config) => ({
      ...config,
      channels: {
        push_services: [push.url],
        webhooks: [{ name: 'pager', url: 'http://127.0.0.1:9/', secret: 'env:HOOK_SECRET' }],
      },
    }))
  }, 120_000)
  afterAll(async () => {
    delete process.env['HOOK_SECRET']
    await app.close()
    await push.stop()
  })

  const byName = () => app.gate.url.replace('127.0.0.1', 'localhost')
  const pay = (amount: number) =>
    held(app.gate, 'ledger-bot', 'bank__pay', {
      amount,
      currency: 'EUR',
      recipient: 'Nordwind Logistik GmbH',
      iban: 'DE89370400440532013000',
    })
  const openAt = async (page: Page, id: string) => {
    await page.goto(`${byName()}/#/approvals/${id}`)
    await expect.poll(() => page.locator('.ids').textContent()).toContain(id)
    await settled(page)
  }

  test('after a passkey was created in the settings, every strong approval needs it', async () => {
    const { gate } = app
    const context = await app.browser.newContext({ viewport: { width: 1440, height: 900 } })
    const page = await context.newPage()
    page.setDefaultTimeout(60_000)
    const browser = await context.newCDPSession(page)
    await browser.send('WebAuthn.enable')
    const { authenticatorId } = await browser.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    await page.goto(byName())
    await page.fill('#key', gate.keys.priya)
    await page.keyboard.press('Enter')
    await page.waitForSelector('.shell')
    await page.goto(`${byName()}/#/settings`)
    await page.fill('#passkey-name', 'the test’s own')
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByText('the test’s own').waitFor()

    const id = await pay(4820)
    await openAt(page, id)
    await page.fill('#typed', 'DE89370400440532013000')
    await page.getByText('Your browser asks for your passkey.').waitFor()
    await page.locator('.approve').click()
    await expect.poll(() => stateOf(gate, id)).toMatch(/^(?:approved|consumed)$/)
    const approved = (await gate.http('GET', `/v1/approvals/${id}`, gate.keys.admin)).body
    expect(JSON.stringify(approved['decisions'])).toContain('passkey')

    // An API key alone is not enough any more, and neither is an authenticator without user verification.
    const next = await pay(4821)
    expect((await gate.approve(next, gate.keys.priya)).body['code']).toBe('approval.passkey_needed')
    await browser.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
    await openAt(page, next)
    await page.fill('#typed', 'DE89370400440532013000')
    await page.locator('.approve').click()
    await page.getByText('Nothing was done: the browser did not give a passkey.').waitFor()
    expect(await stateOf(gate, next)).toBe('pending')
    await context.close()
  })

  test('on a numeric address the page says why there are no passkeys', async () => {
    const page = await app.open(app.gate.keys.mara)
    await page.goto(`${app.gate.url}/#/settings`)
    await page.getByText('Browsers offer passkeys only for host names').waitFor()
    await page.context().close()
  })

  test('a browser is notified of a waiting call by an encrypted message without any value of the call', async () => {
    const { gate } = app
    const own = createECDH('prime256v1')
    own.generateKeys()
    const auth = randomBytes(16)
    const keys = { p256dh: own.getPublicKey('base64url'), auth: auth.toString('base64url') }
    const wanted = { endpoint: `${push.url}/send/1`, keys, name: 'phone' }
    const made = await gate.http('POST', '/v1/push', gate.keys.mara, wanted)
    expect(made.status).toBe(200)
    const { public_key } = (await gate.http('GET', '/v1/push', gate.keys.mara)).body
    const elsewhere = { ...wanted, endpoint: 'http://127.0.0.1:1/send/1' }
    expect((await gate.http('POST', '/v1/push', gate.keys.mara, elsewhere)).body['code']).toBe('push.not_allowed')

    const id = await held(gate, 'mail-assistant', 'mail__send', {
      to: ['secret-person@example.com'],
      subject: 'the secret subject',
      body: 'the secret body',
    })
    await expect.poll(() => push.got.length).toBeGreaterThan(0)
    const [message] = push.got
    if (message === undefined) throw new Error('no message')
    const text = decrypted(message.body, own, auth)
    const said = JSON.parse(text) as Record<string, string>
    expect(said).toMatchObject({ approval_id: id, title: 'A call is waiting for your decision' })
    for (const word of ['secret', 'example.com', 'subject']) expect(text).not.toContain(word)
    // VAPID: the gate signs for this push service, with the key that the browser subscribed with.
    const [, token = '', key] = /^vapid t=([^,]+), ?k=(.+)$/.exec(message.headers.authorization ?? '') ?? []
    expect(key).toBe(public_key)
    const [head = '', claims = '', signature = ''] = token.split('.')
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({ aud: push.url })
    const point = Buffer.from(key ?? '', 'base64url')
    const jwk = {
      kty: 'EC',
      crv: 'P-256',
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
    }
    const publicKey = createPublicKey({ key: jwk, format: 'jwk' })
    const isSigned = verify(
      'sha256',
      Buffer.from(`${head}.${claims}`),
      { key: publicKey, dsaEncoding: 'ieee-p1363' },
      Buffer.from(signature, 'base64url'),
    )
    expect(isSigned).toBe(true)

    // The same message in a real browser: its worker shows it, and says no more than the message does.
    const context = await app.browser.newContext({ permissions: ['notifications'] })
    const page = await context.newPage()
    await page.goto(gate.url)
    await page.fill('#key', gate.keys.mara)
    await page.keyboard.press('Enter')
    await page.waitForSelector('.shell')
    await page.goto(`${gate.url}/#/settings`)
    await page.fill('#push-name', 'this one')
    await page.getByRole('button', { name: 'Notify this browser' }).click()
    // A browser without a network has no push service; the page says so, and its worker is there.
    await page
      .getByText(/push service of this browser did not answer|this one/)
      .first()
      .waitFor()
    const registration = 'navigator.serviceWorker.ready.then((worker) => worker.scope)'
    expect(await page.evaluate(registration)).toBe(`${gate.url}/`)
    const browser = await context.newCDPSession(page)
    const found = new Promise<string>((done) => {
      browser.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
        const [one] = registrations as { registrationId: string; scopeURL: string }[]
        if (one !== undefined) done(one.registrationId)
      })
    })
    await browser.send('ServiceWorker.enable')
    await browser.send('ServiceWorker.deliverPushMessage', {
      origin: gate.url,
      registrationId: await found,
      data: text,
    })
    const shown =
      'navigator.serviceWorker.ready.then((worker) => worker.getNotifications()).then((all) => all.map(({ title, body, tag }) => [title, body, tag]))'
    await expect.poll(() => page.evaluate(shown)).toEqual([['A call is waiting for your decision', said['body'], id]])
    await page.getByRole('button', { name: 'Stop notifying phone' }).click()
    await expect
      .poll(async () => ((await gate.http('GET', '/v1/push', gate.keys.mara)).body['items'] as unknown[]).length)
      .toBe(0)
    await context.close()
  })

  test('a key is revoked in a dialog that says what ends with it', async () => {
    const { gate } = app
    const created = await gate.http('POST', '/v1/keys', gate.keys.admin, { kind: 'approver', name: 'leaver' })
    const what = { tool: 'crm__*', args: [{ path: '', op: 'any' }] }
    const terms = { actor: 'caller:agent:any', what, calls: 5, expires_in_s: 600 }
    const minted = await gate.http('POST', '/v1/consents', String(created.body['key']), terms)
    expect(minted.body).toMatchObject({ calls: 5 })
    const page = await app.open(gate.keys.admin)
    await page.goto(`${gate.url}/#/settings`)
    await page.getByRole('button', { name: 'Revoke approver:leaver' }).click()
    await page.getByText('Also ends: 1').waitFor()
    await page.getByText('crm__* for caller:agent:any, 5 of 5 calls left').waitFor()
    await page.getByRole('checkbox', { name: 'Revoke only the key' }).check()
    await page.getByText('Not affected: 1').waitFor()
    await page.getByRole('checkbox', { name: 'Revoke only the key' }).uncheck()
    await page.getByRole('button', { name: 'Revoke', exact: true }).click()
    await page.getByRole('button', { name: 'Revoke approver:leaver' }).waitFor({ state: 'detached' })
    const { items } = (await gate.http('GET', '/v1/consents', gate.keys.admin)).body
    expect(items).toContainEqual(expect.objectContaining({ consent_id: minted.body['consent_id'], state: 'revoked' }))
    await page.context().close()
  })

  test('the settings show the channels and what doctor says', async () => {
    const page = await app.open(app.gate.keys.admin)
    await page.goto(`${app.gate.url}/#/settings`)
    await page.locator('.key-rows', { hasText: 'pager' }).getByText('notifies only').waitFor()
    const doctor = page.locator('.card', { hasText: 'Findings of doctor' })
    await doctor.getByText('more checks').waitFor({ timeout: 60_000 })
    await doctor.getByText('more checks').click()
    await doctor.getByText('audit:').first().waitFor()
    await page.context().close()
  })

  test('a draft is put in force by an admin, written to the file, and rejected if the policy changed in the meantime', async () => {
    const { gate } = app
    const page = await app.open(gate.keys.admin)
    await page.goto(`${gate.url}/#/policy`)
    await page.getByRole('button', { name: 'Draft' }).click()
    await page.locator('#draft').waitFor()
    const text = await page.inputValue('#draft')
    expect(text).toContain('mail.never-delete')
    await page.fill('#draft', text.replace('sent messages are kept', 'sent messages are kept, says the console'))
    await page.getByText('1 rule changed').waitFor()
    const put = page.getByRole('button', { name: 'Put in force …' })
    await expect.poll(() => put.getAttribute('aria-disabled')).toBeNull()
    await put.click()
    const dialog = page.getByRole('dialog')
    expect(await page.evaluate('document.activeElement?.textContent')).toContain('Cancel')
    await dialog.getByRole('button', { name: 'Put in force', exact: true }).click()
    await page.locator('.rule-row', { hasText: 'sent messages are kept, says the console' }).waitFor()
    const inForce = async () => (await gate.http('GET', '/v1/policies', gate.keys.admin)).body
    expect(JSON.stringify((await inForce())['rules'])).toContain('says the console')
    const file = readFileSync(join(gate.folder, 'sluice.yaml'), 'utf8')
    expect(file).toContain('says the console')
    // The rest of the file is unchanged.
    expect(JSON.stringify((await gate.http('GET', '/v1/servers', gate.keys.admin)).body)).toContain('crm')
    const { body } = await gate.http('GET', '/v1/audit?last=20', gate.keys.admin)
    expect(body['items']).toContainEqual(expect.objectContaining({ type: 'policy.loaded', actor: 'admin:root' }))

    // A draft that was compared with another policy is refused, and so is one that cannot be read.
    const old = { text, version: 'another' }
    expect((await gate.http('POST', '/v1/policies/put', gate.keys.admin, old)).body['code']).toBe('policy.changed')
    const version = String((await inForce())['version'])
    const broken = { text: 'rules: [', version }
    expect((await gate.http('POST', '/v1/policies/put', gate.keys.admin, broken)).body['code']).toBe('policy.invalid')
    expect((await gate.http('POST', '/v1/policies/put', gate.keys.mara, { text, version })).status).toBe(403)
    expect((await inForce())['version']).toBe(version)

    // People with a passphrase enter it, as for a strong approval; a change that loosens the policy must be typed.
    await gate.http('POST', '/v1/passphrase', gate.keys.admin, { passphrase: 'correct horse battery' })
    await page.reload()
    await page.goto(`${gate.url}/#/policy`)
    await page.getByRole('button', { name: 'Draft' }).click()
    await page.locator('#draft').waitFor()
    await gate.call('mail-assistant', 'mail__delete', { id: 'msg_1' })
    const now = await page.inputValue('#draft')
    await page.fill('#draft', now.replace('effect: block', 'effect: allow'))
    await page.getByText('Judged more loosely').waitFor()
    await expect.poll(() => put.getAttribute('aria-disabled')).toBeNull()
    await put.click()
    const act = dialog.getByRole('button', { name: 'Put in force', exact: true })
    expect(await act.getAttribute('aria-disabled')).toBe('true')
    await page.fill('#loosen', 'loosen')
    expect(await act.getAttribute('aria-disabled')).toBe('true')
    await page.fill('#policy-passphrase', 'wrong one here')
    await act.click()
    await dialog.getByText('The passphrase is wrong.').waitFor()
    expect((await inForce())['version']).toBe(version)
    await page.fill('#policy-passphrase', 'correct horse battery')
    await act.click()
    await page.locator('dialog').waitFor({ state: 'detached' })
    await expect.poll(async () => (await inForce())['version']).not.toBe(version)
    await page.context().close()
  }, 120_000)

  test('the audit is checked with the gate’s own count', async () => {
    const { gate } = app
    const answer = await fetch(`${gate.url}/v1/audit/verify/progress`, {
      headers: { authorization: `Bearer ${gate.keys.admin}` },
    })
    const text = await answer.text()
    const [, of = '0'] = /event: progress\ndata: \{"entries":\d+,"of":(\d+)\}/.exec(text) ?? []
    expect(Number(of)).toBeGreaterThan(10)
    expect(text).toMatch(/event: report\ndata: \{"ok":true/)
    const page = await app.open(gate.keys.admin)
    await page.goto(`${gate.url}/#/audit`)
    await page.getByRole('button', { name: 'Check every hash' }).click()
    await page.getByText('Nothing was changed, removed or inserted.').waitFor()
    await page.context().close()
  })

  test('a pause of one server is shown on every page until it is lifted', async () => {
    const { gate } = app
    // Somebody without a passphrase or passkey, which resuming would ask for.
    const admin = await gate.key('admin', 'operator')
    await gate.http('POST', '/v1/pauses', admin, {
      scope: 'server:crm',
      effect: 'block',
      active: true,
      reason: 'being moved',
    })
    const page = await app.open(admin)
    for (const path of [
      '',
      'chat',
      'activity',
      'runs',
      'tools',
      'policy',
      'consents',
      'audit',
      'overview',
      'settings',
    ]) {
      await page.goto(`${gate.url}/#/${path}`)
      await page.locator('.banner', { hasText: 'server:crm' }).waitFor()
    }
    await page.getByRole('button', { name: 'Resume …' }).click()
    await page.fill('#resume-word', 'resume')
    await page.getByRole('dialog').getByRole('button', { name: 'Resume', exact: true }).click()
    await page.locator('.banner').waitFor({ state: 'detached' })
    await page.context().close()
  })

  test('no script failed and the content security policy blocked nothing', () => {
    expect(complaints).toEqual([])
  })
})
