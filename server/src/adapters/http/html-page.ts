import { createHash } from 'node:crypto'

const CSP = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:36rem;margin:12vh auto;padding:0 1rem;color-scheme:light dark}
code{background:color-mix(in srgb,currentColor 12%,transparent);padding:0 .2em;border-radius:.2em;word-break:break-all}
a{display:inline-block;padding:.5rem 1rem;border:1px solid;border-radius:.4rem}`

type PageText = {
  /** Paragraphs; text in backticks is shown as code. */
  readonly says: readonly string[]
  readonly link?: { readonly text: string; readonly to: string }
  /** The only script that the browser runs there. A constant of ours, with no text from elsewhere. */
  readonly script?: string
}

/** A small page. Every text is escaped. */
export function page(status: number, title: string, { says, link, script }: PageText): Response {
  const paragraphs = says.map((text) => `<p>${marked(text)}</p>`).join('\n')
  const onward =
    link === undefined ? '' : `<p><a id="continue" href="${escaped(link.to)}">${escaped(link.text)}</a></p>`
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title>
<style>${STYLE}</style></head>
<body><main><h1>${escaped(title)}</h1>
${paragraphs}
${onward}</main>${script === undefined ? '' : `<noscript>This page needs JavaScript.</noscript><script>${script}</script>`}</body></html>
`
  return new Response(html, {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': script === undefined ? CSP : `${CSP}; ${allowing(script)}`,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    },
  })
}

const allowing = (script: string) =>
  `connect-src 'self'; script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'`

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign] ?? '')
const marked = (text: string) => escaped(text).replaceAll(/`([^`]*)`/g, '<code>$1</code>')
