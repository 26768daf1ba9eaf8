import { checkAddress } from '../check-address.ts'

const MOST = 100

/** The first port from `usual` on that is not in use, or `usual` if many are in use. */
export async function choosePort(host: string, usual: number): Promise<number> {
  for (let port = usual; port < usual + MOST; port += 1) if ((await checkAddress(host, port)).ok) return port
  return usual
}
