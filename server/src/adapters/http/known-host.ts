const MOST_READ = 100
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/** The `Host` and `Origin` headers: which host a request is for, and which page sent it. */
export type HostNames = { readonly host: string | undefined; readonly origin: string | undefined }

/**
 * Whether a request on the network listener is for one of our own host names. A web page on another host can make a browser
 * send requests here: its host is then in `Host` (DNS rebinding) or in `Origin`. A browser cannot open the data folder's socket, so
 * requests there are not checked.
 */
export function knownHost(names: readonly string[]): (asked: HostNames) => boolean {
  const known = new Set([...LOOPBACK, ...names.map((name) => name.toLowerCase())])
  /** Cached, because clients repeat the same values. */
  const read = new Map<string, boolean>()
  const isKnown = (url: string): boolean => {
    const before = read.get(url)
    if (before !== undefined) return before
    const answer = known.has(hostnameOf(url))
    if (read.size >= MOST_READ) read.clear()
    read.set(url, answer)
    return answer
  }
  return ({ host, origin }) => isKnown(`http://${host ?? ''}`) && (origin === undefined || isKnown(origin))
}

function hostnameOf(url: string): string {
  return URL.parse(url)?.hostname.toLowerCase() ?? ''
}
