import { CHROMIUM, openBrowser, SKIPPED } from '../../../../../../console/test/browser.ts'

/** Logs in to the console of a running gate with a real browser, opens one request and approves it there. Returns the sentence that was shown. */
export async function approveInConsole(url: string, key: string, approval_id: string): Promise<string> {
  if (CHROMIUM === undefined) throw new Error(SKIPPED)
  const browser = await openBrowser()
  try {
    const page = await browser.newPage()
    page.setDefaultTimeout(60_000)
    await page.goto(url)
    await page.fill('#key', key)
    await page.keyboard.press('Enter')
    await page.waitForSelector('.shell')
    await page.goto(`${url}/#/approvals/${approval_id}`)
    await page.locator('.ids', { hasText: approval_id }).waitFor()
    const sentence = await page.locator('h2.sentence').textContent()
    // Controls that were just drawn do nothing for 400 ms.
    await page.waitForTimeout(500)
    await page.getByRole('button', { name: /^Approve and/ }).click()
    await page.getByText('Approved.').first().waitFor()
    return sentence ?? ''
  } finally {
    await browser.close()
  }
}
