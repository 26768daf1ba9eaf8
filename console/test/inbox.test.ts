import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { HELD_PATH } from '../../server/src/kernel/contract/first-page.ts'
import { CHROMIUM, SKIPPED } from './browser.ts'
import { complaints, held, openConsole, openPacket, settled, stateOf, type Console } from './with-console.ts'

if (CHROMIUM === undefined) console.warn(SKIPPED)
const WHOLE = process.env['SLUICE_CONSOLE'] === 'whole'

const post = (text: string) => ['status-agent', 'chat__post', { channel: '#ops-status', text }] as const
/** Whether a part of its text is not drawn. */
const isCut = (place: Locator): Promise<boolean> =>
  place.evaluate((one) => {
    const { scrollHeight, clientHeight } = one as unknown as { scrollHeight: number; clientHeight: number }
    return scrollHeight > clientHeight + 1
  })
const DECIDED = /^(?:approved|consumed)$/

describe.skipIf(CHROMIUM === undefined)('the inbox in a browser', () => {
  let app: Console
  /** Mara's browser, logged in once for all tests. */
  let page: Page
  beforeAll(async () => {
    app = await openConsole()
    page = await app.open(app.gate.keys.mara)
  }, 120_000)
  afterAll(async () => app.close(), 60_000)

  test('a person logs in, reads one sentence, approves, and the call runs once', async () => {
    const { gate } = app
    const id = await held(gate, ...post('hello'))
    await openPacket(page, gate, id)
    expect(await page.locator('h2.sentence').textContent()).toContain('#ops-status')
    expect(await page.evaluate('document.activeElement?.className')).toBe('sentence')
    await page.getByRole('button', { name: /^Approve and/ }).click()
    await expect.poll(() => stateOf(gate, id)).toMatch(DECIDED)
    // The outcome is said when it is known, with the way to it.
    const toast = page.locator('.toast', { hasText: 'Approved. It ran.' })
    await toast.waitFor()
    expect(await toast.getByRole('link').getAttribute('href')).toMatch(/^#\/activity\/call_/)
    // The key went to the gate and is nowhere in the browser.
    const kept = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])',
    )
    expect(kept).not.toContain(gate.keys.mara)
    expect(await page.content()).not.toContain(gate.keys.mara)
  })

  test('the held calls are requested together with the scripts, and once before the page is live', async () => {
    await held(app.gate, ...post('early'))
    const other = await page.context().newPage()
    const requested: string[] = []
    other.on('request', (request) => {
      const { pathname, search } = new URL(request.url())
      if (pathname.startsWith('/v1/')) requested.push(`${pathname}${search} ${request.resourceType()}`)
    })
    await other.goto(app.gate.url)
    await other.locator('.held').first().waitFor()
    await expect.poll(() => requested).toContain('/v1/stream fetch')
    const before = requested.slice(0, requested.indexOf('/v1/stream fetch'))
    // The browser's own request (`other`) serves the script's, which therefore does not appear.
    expect(before.filter((line) => line.startsWith(HELD_PATH))).toEqual([`${HELD_PATH} other`])
    await other.close()
  })

  test('one key press decides one call, and the next one waits 400 ms', async () => {
    const { gate } = app
    const ids = [
      await held(gate, ...post('first')),
      await held(gate, 'ledger-bot', 'bank__pay', {
        amount: 5,
        currency: 'EUR',
        recipient: 'A',
        iban: 'DE02120300000000202051',
      }),
    ]
    await openPacket(page, gate, ids[0] ?? '')
    await page.keyboard.down('a')
    for (let n = 0; n < 10; n++) await page.keyboard.down('a')
    await page.keyboard.up('a')
    await expect.poll(() => stateOf(gate, ids[0] ?? '')).toMatch(DECIDED)
    await page.waitForTimeout(600)
    expect(await stateOf(gate, ids[1] ?? '')).toBe('pending')
    // Deny opens a reason; escape goes back; Enter denies with it.
    await openPacket(page, gate, ids[1] ?? '')
    await page.keyboard.press('d')
    await page.keyboard.type('wrong account')
    await page.keyboard.press('Escape')
    expect(await stateOf(gate, ids[1] ?? '')).toBe('pending')
    await page.keyboard.press('d')
    await page.keyboard.press('Enter')
    await expect.poll(() => stateOf(gate, ids[1] ?? '')).toBe('denied')
  })

  test('a strong approval must be typed: neither a shortcut nor Enter decides it, and Approve is never focused', async () => {
    const { gate } = app
    const id = await held(gate, 'ledger-bot', 'bank__pay', {
      amount: 4820,
      currency: 'EUR',
      recipient: 'Nordwind Logistik GmbH',
      iban: 'DE89370400440532013000',
    })
    await openPacket(page, gate, id)
    const approve = page.locator('.approve')
    expect(await approve.getAttribute('aria-disabled')).toBe('true')
    await page.keyboard.press('a')
    expect(await page.evaluate('document.activeElement?.id')).toBe('typed')
    await page.keyboard.type('DE8937040044053201300')
    await page.keyboard.press('Enter')
    expect(await approve.getAttribute('aria-disabled')).toBe('true')
    await page.keyboard.type('0')
    await page.keyboard.press('Enter')
    await page.waitForTimeout(300)
    expect(await stateOf(gate, id)).toBe('pending')
    await expect.poll(() => approve.getAttribute('aria-disabled')).toBeNull()
    expect(await page.evaluate('document.activeElement?.className')).not.toContain('approve')
    await approve.click()
    await expect.poll(() => stateOf(gate, id)).toMatch(DECIDED)
  })

  test('a nested field and the third line of a text are on the page before anybody can approve them', async () => {
    const { gate } = app
    const id = await held(gate, 'sales-helper', 'crm__update_deal', {
      deal: 'Quay',
      note: 'one\ntwo\nthree: mallory',
      settings: { share: [{ with: { admins: ['mallory'] } }] },
    })
    await openPacket(page, gate, id)
    for (const text of ['three: mallory', '"admins": [']) {
      const place = page.locator('.fields .val', { hasText: text })
      expect(await isCut(place)).toBe(false)
    }
    expect(await page.locator('.fields .fold').count()).toBe(0)
    await page.keyboard.press('a')
    await expect.poll(() => stateOf(gate, id)).toMatch(DECIDED)
  })

  test('a folded text is unfolded before it can be approved, also by somebody who presses `a` twice', async () => {
    const { gate } = app
    const body = `Hello\n${'A line that says little.\n'.repeat(30)}and pay mallory`
    const id = await held(gate, ...post(body))
    await openPacket(page, gate, id)
    const approve = page.locator('.approve')
    expect(await approve.getAttribute('aria-disabled')).toBe('true')
    for (let n = 0; n < 3; n++) {
      await page.keyboard.press('a')
      await settled(page)
    }
    expect(await stateOf(gate, id)).toBe('pending')
    expect(await page.evaluate('document.activeElement?.className')).toBe('fold')
    await page.keyboard.press('Enter')
    const text = page.locator('.fields .val.long')
    await page.locator('.fields .fold', { hasText: 'Less' }).waitFor()
    expect(await isCut(text)).toBe(false)
    expect(await text.textContent()).toContain('and pay mallory')
    await settled(page)
    await page.keyboard.press('a')
    await expect.poll(() => stateOf(gate, id)).toMatch(DECIDED)
  })

  test('values that differ never look alike, and a recipient that can mislead is marked', async () => {
    const { gate } = app
    const id = await held(gate, 'mail-assistant', 'mail__send', {
      to: ['board@example.com', 'bo\u0430rd@example.com'],
      subject: 'Minutes\nBcc: mallory@ext.example',
      body: '1',
      cc: [],
    })
    await openPacket(page, gate, id)
    const fields = page.locator('.fields')
    expect(await fields.locator('.tag.ask').count()).toBe(2)
    expect(await fields.textContent()).toMatch(/mixes Latin and Cyrillic letters/)
    expect(await page.locator('h2.sentence .misleading').count()).toBe(2)
    expect(await fields.textContent()).toContain('Minutes⏎\nBcc')
    expect(await fields.locator('.val', { hasText: /^"1"$/ }).count()).toBe(1)
    expect(await fields.locator('.val', { hasText: /^\[\]$/ }).count()).toBe(1)
  })

  test('if two people decide at once, the second one is informed and changes nothing', async () => {
    const { gate } = app
    const id = await held(gate, ...post('race'))
    const [mara, priya] = [page, await app.open(gate.keys.priya)]
    /** Whoever has decided is shown the next request, so their page is opened again. */
    const noteOn = async (one: Page): Promise<string> => {
      let said = ''
      const read = async () => {
        if (!one.url().includes(id)) await one.goto(`${gate.url}/#/approvals/${id}`)
        said = (await one.locator('.note.accent').allTextContents()).join(' ')
        return said
      }
      await expect.poll(read).toContain('approved it')
      return said
    }
    await Promise.all([openPacket(mara, gate, id), openPacket(priya, gate, id)])
    await Promise.all([mara.keyboard.press('a'), priya.keyboard.press('a')])
    await expect.poll(() => stateOf(gate, id)).toMatch(DECIDED)
    const notes = await Promise.all([noteOn(mara), noteOn(priya)])
    expect(notes.join(' ')).toMatch(/You approved it/)
    expect(notes.join(' ')).toMatch(/(?:mara|priya) approved it/)
    await priya.context().close()
  })

  test('a request that changes while it is open is shown next to its old version, and cannot be decided', async () => {
    const { gate } = app
    const id = await held(gate, ...post('before'))
    await openPacket(page, gate, id)
    const edited = await gate.http('POST', `/v1/approvals/${id}/decide`, gate.keys.priya, {
      decision: 'edit',
      args: { channel: '#ops-status', text: 'after' },
    })
    const next = String(edited.body['approval_id'])
    await page.keyboard.press('a')
    const note = page.locator('.note', { hasText: 'Somebody edited this request' })
    await note.waitFor()
    expect(await note.textContent()).toMatch(/before.*after/s)
    for (const button of await page.locator('.decide .btn').all())
      expect(await button.getAttribute('aria-disabled')).toBe('true')
    expect(await stateOf(gate, next)).toBe('pending')
    expect(await stateOf(gate, id)).toBe('edited')
    await page.getByRole('link', { name: 'Read the new request' }).first().click()
    await expect.poll(() => page.locator('.ids').textContent()).toContain(next)
  })

  test('new requests wait behind a chip, and no row moves', async () => {
    const { gate } = app
    const id = await held(gate, 'sales-helper', 'crm__update_deal', { deal: 'Quay', stage: 'open' }, 'quays')
    await page.goto(`${gate.url}/#/`)
    await page.reload()
    const row = page.locator(`[data-row="${id}"]`)
    await row.waitFor()
    // Until two checks in a row agree, the page may still be moving what it has just loaded.
    const places = async () => [await row.boundingBox(), (await page.locator('.live').first().boundingBox())?.x]
    let before = await places()
    await vi.waitFor(
      async () => {
        const was = before
        await page.waitForTimeout(200)
        before = await places()
        expect(before).toEqual(was)
      },
      { timeout: 60_000 },
    )
    const next = await held(gate, 'sales-helper', 'crm__update_deal', { deal: 'Pier', stage: 'won' }, 'piers')
    const chip = page.locator('.new-chip')
    await chip.waitFor({ state: 'visible' })
    expect(await places()).toEqual(before)
    await chip.click()
    await page.locator(`[data-row="${next}"]`).waitFor()
  })

  test.skipIf(!WHOLE)('an edit makes a new request with its difference, and the old one is closed', async () => {
    const { gate } = app
    const id = await held(gate, ...post('typo hree'))
    await openPacket(page, gate, id)
    await page.keyboard.press('e')
    await page.fill('#edit-text', 'typo here')
    await settled(page)
    await page.getByRole('button', { name: 'Create the new request' }).click()
    await page.getByText('What was edited').waitFor()
    expect(await stateOf(gate, id)).toBe('edited')
  })

  test.skipIf(!WHOLE)(
    'pausing takes two clicks, resuming must be typed, and the page shows neither before the gate confirms it',
    async () => {
      const { gate } = app
      const admin = await app.open(gate.keys.admin)
      await admin.locator('.nav .pause').click()
      await admin.getByRole('dialog').getByRole('button', { name: 'Pause everything' }).click()
      await admin.locator('.banner.paused').waitFor()
      const blocked = await gate.call('status-agent', 'chat__post', { channel: '#x', text: 'y' })
      expect(blocked).toMatchObject({ code: 'call.blocked' })
      await admin.getByRole('button', { name: 'Resume …' }).click()
      await admin.getByRole('dialog').waitFor()
      expect(await admin.evaluate('document.activeElement?.textContent')).toContain('Cancel')
      const resume = admin.getByRole('dialog').getByRole('button', { name: 'Resume', exact: true })
      expect(await resume.getAttribute('aria-disabled')).toBe('true')
      await admin.fill('#resume-word', 'resume')
      await resume.click()
      await admin.locator('.banner.paused').waitFor({ state: 'detached' })
    },
  )

  test('no script failed and the content security policy blocked nothing', () => {
    expect(complaints).toEqual([])
  })
})
