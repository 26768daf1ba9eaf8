const MOST_READ = 100
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/** The two headers with which a browser names the host and the page of a request. */
export type Names = { readonly host: string | undefined; readonly origin: string | undefined }

/**
 * Whether a request on the network listener is for one of our own host names. A web page on another host can make a browser
 * send requests here, under that host's name (DNS rebinding) or its own (`Origin`). The data folder's socket is out of a browser's
 * reach and needs no such check.
 */
export function knownHost(names: readonly string[]): (asked: Names) => boolean {
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
