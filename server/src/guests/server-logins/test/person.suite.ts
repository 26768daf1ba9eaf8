/** What a browser ended on. */
export type Ended = { readonly url: string; readonly status: number; readonly text: string; readonly cookies: Browser }
export type Browser = Map<string, Map<string, string>>

const MOST_STEPS = 20

/**
 * A person with a browser: opens an address, follows links and redirects, logs in as `name` and agrees to everything. Cookies, and what
 * the gate's pages store, are kept by host and port. Stops before an address that `stopAt` matches.
 */
export async function logInAs(
  name: string,
  address: string,
  stopAt: (url: URL) => boolean = () => false,
  cookies: Browser = new Map(),
): Promise<Ended> {
  let next: { readonly url: URL; readonly form?: URLSearchParams } | undefined = { url: new URL(address) }
  let ended: Ended = { url: address, status: 0, text: '', cookies }
  for (let steps = 0; next !== undefined && steps < MOST_STEPS; steps += 1) {
    const { url, form }: { readonly url: URL; readonly form?: URLSearchParams } = next
    if (stopAt(url)) return { ...ended, url: url.href }
    const jar = cookies.get(url.host) ?? new Map<string, string>()
    cookies.set(url.host, jar)
    const response: Response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...jar].map(([key, value]) => `${key}=${value}`).join('; ') },
      ...(form === undefined ? {} : { method: 'POST', body: form }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [, key = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      jar.set(key, value)
    }
    const text: string = await response.text()
    ended = { url: url.href, status: response.status, text, cookies }
    if (text.includes('<script>')) {
      const done = await scripted(url, text, cookies)
      if (typeof done === 'string') next = { url: new URL(done) }
      else return { ...ended, status: done.status, text: await done.text() }
    } else next = stepAfter(name, url, response, text)
  }
  return ended
}

/** What the script of a page of the gate does: continues with an address, or shows an answer. */
async function scripted(url: URL, text: string, cookies: Browser): Promise<string | Response> {
  const stored = cookies.get(`stored ${url.host}`) ?? new Map<string, string>()
  cookies.set(`stored ${url.host}`, stored)
  const send = (to: URL, body: object) =>
    fetch(to, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url.origin },
      body: JSON.stringify(body),
    })
  const link = /<a id="continue" href="([^"]+)"/.exec(text)?.[1]
  if (link === undefined) {
    const query = Object.fromEntries(url.searchParams)
    return send(new URL(url.pathname, url), { ...query, secrets: [...stored.values()] })
  }
  const answer = await send(new URL(link, url), {})
  if (!answer.ok) return answer
  const { url: next, secret } = (await answer.json()) as { readonly url: string; readonly secret: string }
  stored.set(secret, secret)
  return next
}

function stepAfter(name: string, url: URL, response: Response, text: string) {
  const location = response.headers.get('location')
  if (response.status >= 300 && response.status < 400 && location !== null) return { url: new URL(location, url) }
  const action = /<form[^>]* action="([^"]+)"/.exec(text)?.[1]
  const prompt = /name="prompt" value="([a-z]+)"/.exec(text)?.[1]
  if (action !== undefined && prompt !== undefined)
    return { url: new URL(action, url), form: new URLSearchParams({ prompt, login: name, password: 'any' }) }
  return undefined
}
